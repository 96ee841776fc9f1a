export const dependsOnNode = (file: string): boolean => file.includes("http2");
