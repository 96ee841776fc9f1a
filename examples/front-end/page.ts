import { peopleAt } from "./people.ts";

const people = peopleAt(new URLSearchParams(location.search).get("service") ?? "http://127.0.0.1:8080");
const [form, list] = [document.querySelector("form"), document.querySelector("ul")];

async function show(): Promise<void> {
  const items = (await people.list()).map(({ name }) => {
    const item = document.createElement("li");
    item.textContent = name ?? "";
    return item;
  });
  list?.replaceChildren(...items);
}

form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const fault = await people.add(String(new FormData(form).get("name")));
  const output = form.querySelector("output");
  if (output !== null) output.textContent = fault ?? "";
  if (fault === undefined) form.reset();
  await show();
});

await show();
