import { z } from "zod";

/** What a request has, for each of the servers that declare it. */
export const inputs: Inputs = {
  variables: { id: z.int().min(1) },
  query: { most: z.int().min(1).max(100).default(10), tag: z.array(z.string().max(20)).default([]) },
  body: z.strictObject({ title: z.string().min(1).max(100), pages: z.int().min(1), isbn: z.string().optional() }),
};

interface Inputs {
  readonly variables: { readonly id: z.ZodType<number> };
  readonly query: { readonly most: z.ZodType<number>; readonly tag: z.ZodType<readonly string[]> };
  readonly body: z.ZodType<{ title: string; pages: number; isbn?: string | undefined }>;
}
