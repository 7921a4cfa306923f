// The list of attacks: an attack outside it never runs.
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ATTACKS } from './attacks.ts'

/** The names of all attacks, read from the sources: some files of the folder are programs, which an import would start. */
const written = readdirSync(import.meta.dir).flatMap((name) => {
  const source = readFileSync(join(import.meta.dir, name), 'utf8')
  const attack = /^export const \w+: Attack = \{\s*name: '([a-z-]+)'/m.exec(source)
  return attack?.[1] === undefined ? [] : [attack[1]]
})

test('every attack is listed once', () => {
  expect(written.length).toBeGreaterThan(20)
  expect(ATTACKS.map(({ name }) => name).sort()).toEqual(written.sort())
})
