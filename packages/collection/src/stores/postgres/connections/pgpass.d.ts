/** The package has no types of its own. */
declare module "pgpass" {
  export default function pgpass(connection: object, callback: (password: string | undefined) => void): void;
}
