// Sends each form of the page once: what a second click sent would be refused, since the first has changed what it names.
for (const form of document.querySelectorAll<HTMLFormElement>("main form")) {
  let isSent = false;
  form.addEventListener("submit", (event) => {
    if (isSent) event.preventDefault();
    isSent = true;
  });
  addEventListener("pageshow", () => {
    isSent = false;
  });
}

export {};
