// Client programs: however they end, the processes that they started end, too.
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { eventually } from '../../support/eventually.ts'
import { endPrograms, runProgram, startProgram } from './process.ts'

const FAMILY = ['sh', '-c', 'sleep 300 & echo $!; wait']
const cwd = tmpdir()
/** A zombie, which waits for its parent to look, counts as ended. */
const lives = (pid: number): boolean => {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false // no such process
  }
}

/** The program's child, which would outlive it. */
async function childOf({ stdout }: { stdout: ReadableStream<Uint8Array> }): Promise<number> {
  for await (const bytes of stdout) return Number(Buffer.from(bytes).toString())
  throw new Error('the program printed nothing')
}

test('all programs end with their children when the script is stopped', async () => {
  const programs = [FAMILY, FAMILY].map((command) => startProgram(command, { cwd, stdin: Buffer.from('') }))
  const children = await Promise.all(programs.map(childOf))
  expect(children.map(lives)).toEqual([true, true])
  endPrograms()
  expect(await Promise.all(programs.map(({ exited }) => exited))).toEqual([137, 137])
  await eventually('the children have ended', () => !children.some(lives))
})

test('a program that takes too long is reported, even if its child holds its output', async () => {
  await expect(runProgram(FAMILY, { cwd, timeout_ms: 50 })).rejects.toThrow('sh: took over 0.05 s')
})

test.each([
  ['its output', 'cat; echo " here" >&2', { status: 0, stdout: 'stdin', stderr: ' here\n' }],
  ['its status, if any is allowed', 'exit 3', { status: 3, stdout: '', stderr: '' }],
])('a program that ends by itself returns %s', async (_, script, ended) => {
  const options = { cwd, timeout_ms: 10_000, stdin: 'stdin', any_status: true }
  expect(await runProgram(['sh', '-c', script], options)).toEqual(ended)
})

test('a program that fails is reported with its output', async () => {
  const failing = runProgram(['sh', '-c', 'echo why >&2; exit 3'], { cwd, timeout_ms: 10_000 })
  await expect(failing).rejects.toThrow('sh: status 3: why')
})
