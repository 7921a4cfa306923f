// The source map of an executable as a file of its own: the executable has none, and the file makes its stack traces readable.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildBinary } from '../../src/build/binary.ts'
import { readableTrace } from '../../src/build/source-map.ts'
import { temporary } from '../support/temporary.ts'

const ROOT = join(import.meta.dir, '../..')
const folder = temporary()
afterAll(() => folder[Symbol.dispose]())

let stack = ''
let map = ''

beforeAll(async () => {
  await buildBinary({
    entrypoints: [join(import.meta.dir, 'program/main.ts')],
    outfile: folder.at('program'),
    source_map: folder.at('program.map'),
  })
  const child = Bun.spawnSync([folder.at('program')], { cwd: '/', env: {} })
  stack = JSON.parse(child.stdout.toString()).stack
  map = readFileSync(folder.at('program.map'), 'utf8')
})

const placeOf = (file: string, text: string): string => {
  const path = `test/release/program/${file}`
  const lines = readFileSync(join(ROOT, path), 'utf8').split('\n')
  return `${path}:${lines.findIndex((line) => line.includes(text)) + 1}:`
}

describe('a source map beside the executable', () => {
  test('is the only other file of its build', () => {
    expect(readdirSync(folder.path).sort()).toEqual(['program', 'program.map'])
  })

  test('is needed: traces name places in the bundle', () => {
    expect(stack).toContain('Error: failed at 2')
    expect(stack).toMatch(/\(\/\$bunfs\/root\/chunk-\w+\.js:\d+:\d+\)/)
    expect(stack).not.toContain('failing.ts')
  })

  test('replaces them by file, line and column', () => {
    const readable = readableTrace(map, stack)
    expect(readable).toContain(placeOf('failing.ts', 'throw new Error'))
    expect(readable).toContain(placeOf('main.ts', 'fail(2)'))
    expect(readable).not.toContain('$bunfs')
  })

  test('reads a line of the log, in which the trace is one string of JSON', () => {
    const line = JSON.stringify({ level: 'error', error: { stack } })
    expect(JSON.parse(readableTrace(map, line)).error.stack).toBe(readableTrace(map, stack))
  })

  test('has neither the sources nor a path of the machine', () => {
    expect(map).not.toContain('sourcesContent')
    expect(map).not.toContain(ROOT)
    expect(map).not.toContain('../')
  })

  test('leaves unknown places unchanged', () => {
    const unknown = 'at f (/$bunfs/root/chunk-00000000.js:1:1)\nat g (/home/x.js:2:2)'
    expect(readableTrace(map, unknown)).toBe(unknown)
    expect(readableTrace(map, stack.replaceAll(/:\d+:\d+/g, ':9999:1'))).not.toContain('undefined')
  })

  test('is read by a command', () => {
    const command = (...words: string[]) =>
      Bun.spawnSync([process.execPath, join(ROOT, 'src/build/source-map.ts'), ...words], {
        stdin: Buffer.from(stack),
        stderr: 'pipe',
      })
    expect(command(folder.at('program.map')).stdout.toString()).toBe(readableTrace(map, stack))
    const without = command()
    expect(without.exitCode).not.toBe(0)
    expect(without.stderr.toString()).toContain('tollgate.map < log')
  })
})
