/** Path variables by name: a segment's text, or every segment that `{*rest}` took, all decoded. */
export type Variables = Readonly<Record<string, string | readonly string[]>>;

export type NoVariables = Readonly<Record<never, never>>;

/** The variables that a path template binds, read from its text: `"/{id}"` gives `{ readonly id: string }`. */
export type PathVariables<P extends string> = string extends P ? Variables : Flat<VariablesIn<P>>;

/** The variables of a request for which no route is chosen, or whose route has none. */
export const noVariables: Variables = Object.freeze(Object.create(null));

type VariablesIn<P extends string> = P extends `${string}{${infer Inside}}${infer After}`
  ? Inside extends `${infer Name}:${infer Expression}`
    ? Variable<Name> & VariablesIn<AfterExpression<`${Expression}}${After}`>>
    : Variable<Inside> & VariablesIn<After>
  : NoVariables;

/** The members of an intersection as one object, which is how editors then show them. */
type Flat<T> = { readonly [K in keyof T]: T[K] };

type Variable<Name extends string> = Name extends `*${infer Rest}`
  ? { readonly [K in Rest]: readonly string[] }
  : { readonly [K in Name]: string };

// What follows the brace that closes the variable: one that a quantifier, {2,3}, or a class, \p{L}, has opened does not.
type AfterExpression<Text extends string> = Text extends `${infer Before}}${infer After}`
  ? Before extends `${string}{${string}`
    ? AfterExpression<After>
    : After
  : "";
