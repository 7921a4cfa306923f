// Shapes of JSON, to compare with recordings: names, and their order.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `path: a < b` for every name and each one after it. The arguments of a tool have names of their own, and are left out. */
export function pairs(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pairs(item, path))
  if (typeof value !== 'object' || value === null) return []
  const names = Object.keys(value)
  return [
    ...names.flatMap((name, at) => names.slice(at).map((later) => `${path}: ${name} < ${later}`)),
    ...Object.entries(value).flatMap(([name, inner]) =>
      name === 'args' || name === 'input' ? [] : pairs(inner, `${path}.${name}`),
    ),
  ]
}

/** The pairs in all recordings of a protocol. */
export function recordedPairs(protocol: string, files = /^(stream|whole)/): Set<string> {
  const folder = join(import.meta.dir, '../fixtures', protocol)
  const lines = readdirSync(folder)
    .filter((name) => files.test(name))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter((line) => line.startsWith('{'))
  return new Set(lines.flatMap((line) => pairs(JSON.parse(line))))
}
