// Sends the request that a form of the reference describes, and shows the answer.
for (const form of document.querySelectorAll("form.try")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const output = form.querySelector("output");
    output.textContent = "Sending …";
    try {
      output.textContent = await send(form);
    } catch (error) {
      output.textContent = `No answer: ${error.message}`;
    }
  });
}

async function send(form) {
  const { method, path } = form.dataset;
  const headers = new Headers();
  const query = new URLSearchParams();
  let target = path;
  let body;
  for (const [name, value] of new FormData(form)) {
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
  const base = document.querySelector("[data-base]").dataset.base;
  const url = `${base}${target}${query.size > 0 ? `?${query}` : ""}`;
  const response = await fetch(url, { method, headers, body });
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  return [`${response.status} ${response.statusText}`, ...fields, "", await response.text()].join("\n");
}
