// A function that throws.
type Depth = number

export function fail(depth: Depth): never {
  throw new Error(`failed at ${depth}`)
}
