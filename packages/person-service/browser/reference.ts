// Sends the request that a form of the reference describes, and shows the answer.
for (const form of document.querySelectorAll<HTMLFormElement>("form.try")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const output = form.querySelector("output");
    if (output === null) return;
    output.textContent = "Sending …";
    try {
      output.textContent = await send(form);
    } catch (error) {
      output.textContent = `No answer: ${error instanceof Error ? error.message : error}`;
    }
  });
}

async function send(form: HTMLFormElement): Promise<string> {
  const { method = "", path = "" } = form.dataset;
  const headers = new Headers();
  const query = new URLSearchParams();
  let target = path;
  let body: string | undefined;
  for (const [name, entry] of new FormData(form)) {
    const value = String(entry); // there are no files
    if (value === "") continue;
    const [place, ...rest] = name.split(":");
    const field = rest.join(":");
    if (place === "path") target = target.replace(`{${field}}`, encodeURIComponent(value));
    else if (place === "query") query.append(field, value);
    else if (place === "header") headers.set(field, value);
    else if (place === "accept") headers.set("Accept", value);
    else if (place === "type") headers.set("Content-Type", value);
    else body = value;
  }
  const base = document.querySelector<HTMLElement>("[data-base]")?.dataset["base"] ?? "";
  const url = `${base}${target}${query.size > 0 ? `?${query}` : ""}`;
  const response = await fetch(url, { method, headers, body: body ?? null });
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  return [`${response.status} ${response.statusText}`, ...fields, "", await response.text()].join("\n");
}
