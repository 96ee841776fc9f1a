import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { contract } from "@waymark/testing";
import { served } from "./served.ts";
import { openUsersAndBooks } from "./users-and-books.ts";

describe("the books of users", () => {
  const ask = served(openUsersAndBooks);

  it("are created below their user, who is named in them", async () => {
    for (const name of ["Ada", "Grace"]) assert.equal((await ask("POST /users", { name })).status, 201);
    const created = await ask("POST /users/1/books", { title: "Emma" });
    assert.deepEqual([created.status, created.header("Location")], [201, "/users/1/books/1"]);
    const { userId, title } = JSON.parse((await ask("GET /users/1/books/1")).text);
    assert.deepEqual([userId, title], [1, "Emma"]);
    assert.equal((await ask("POST /users/2/books", { title: "Sanditon" })).header("Location"), "/users/2/books/2");
  });

  it("belong to one user only", async () => {
    assert.deepEqual(
      JSON.parse((await ask("GET /users/1/books")).text).map(({ title }: { title: string }) => title),
      ["Emma"],
    );
    for (const method of ["GET", "PUT", "DELETE"]) {
      const { status } = await ask(`${method} /users/1/books/2`, method === "GET" ? undefined : { title: "x" });
      assert.equal(status, 404, method);
    }
    assert.equal(JSON.parse((await ask("GET /users/2/books/2")).text).title, "Sanditon");
  });

  it("are not found below a user that does not exist", async () => {
    for (const line of ["GET /users/3/books", "GET /users/3/books/1", "DELETE /users/3/books/1"]) {
      const { status, text } = await ask(line);
      assert.deepEqual([status, text], [404, ""], line);
    }
    assert.equal((await ask("POST /users/3/books", { title: "Emma" })).status, 404);
    assert.equal((await ask("GET /users/abc/books")).status, 400);
    assert.equal((await ask("GET /users/1/films")).status, 404);
  });

  it("go when their user goes", async () => {
    assert.equal((await ask("DELETE /users/2")).status, 200);
    assert.equal((await ask("GET /users/2/books")).status, 404);
    assert.equal(JSON.parse((await ask("GET /users/1/books")).text).length, 1);
  });
});

describe("the declarations of users and books", async () => {
  const { app, database } = await openUsersAndBooks(":memory:");
  after(() => database.close());
  for (const { name, run } of await contract(app, { requests: 40 })) it(name, run);
});
