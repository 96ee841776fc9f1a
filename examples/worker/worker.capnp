using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "worker", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.bundle.js")],
    compatibilityDate = "2026-10-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:8080", http = (), service = "worker")],
);
