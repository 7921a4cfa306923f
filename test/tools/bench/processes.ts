// Processes under measurement: their start and end, and their use of the machine as Linux reports it.
import { readFileSync, writeFileSync } from 'node:fs'
import type { Subprocess } from 'bun'
import { nowMs } from './recording.ts'

/** utime and stime are counted in ticks of this length (`getconf CLK_TCK`, which is 100 on Linux). */
const TICK_MS = 10

export interface Process {
  readonly pid: number
  /** Asks the process to end, and waits until it has; after 5 s it is killed. */
  stop(): Promise<void>
}

const wrap = (child: Subprocess): Process => ({
  pid: child.pid,
  async stop() {
    child.kill('SIGTERM')
    const stubborn = setTimeout(() => child.kill('SIGKILL'), 5_000)
    await child.exited
    clearTimeout(stubborn)
  },
})

const environmentOf = (extra: Record<string, string>) => ({ ...process.env, ...extra })

/** Starts a process; its output is dropped. */
export const start = (command: readonly string[], environment: Record<string, string>): Process =>
  wrap(Bun.spawn([...command], { env: environmentOf(environment), stdout: 'ignore', stderr: 'ignore' }))

/** Starts a process that prints the port it listens on as its first line. */
export async function startWithPort(
  command: readonly string[],
  environment: Record<string, string>,
): Promise<Process & { port: number }> {
  const { line, ...process } = await startWithLine(command, environment)
  const port = Number.parseInt(line, 10)
  if (!port) throw new Error(`${command.join(' ')} did not print its port`)
  return { ...process, port }
}

/** Starts a process that prints the address it listens on at the end of its first line. */
export async function startWithAddress(
  command: readonly string[],
  environment: Record<string, string>,
): Promise<Process & { address: URL }> {
  const { line, ...process } = await startWithLine(command, environment)
  const address = URL.parse(line.trim().split(' ').at(-1) ?? '')
  if (!address) throw new Error(`${command.join(' ')} did not print its address`)
  return { ...process, address }
}

async function startWithLine(
  command: readonly string[],
  environment: Record<string, string>,
): Promise<Process & { line: string }> {
  const child = Bun.spawn([...command], {
    env: environmentOf(environment),
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let text = ''
  for await (const bytes of child.stdout) {
    text += new TextDecoder().decode(bytes)
    if (text.includes('\n')) break
  }
  return { ...wrap(child), line: text }
}

/**
 * Runs a process to its end.
 * @param input its standard input
 * @returns its standard output
 * @throws Error with all its output, if its exit status is not 0
 */
export async function run(
  command: readonly string[],
  environment: Record<string, string> = {},
  input = '',
): Promise<string> {
  const child = Bun.spawn([...command], {
    env: environmentOf(environment),
    stdin: Buffer.from(input),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed:\n${stdout}${stderr}`)
  return stdout
}

/**
 * Waits until something accepts connections on a port, or answers there with status 200.
 * @param path the path to request; undefined: a connection is enough
 * @returns milliseconds since `since_ms`
 * @throws Error after `within_ms`
 */
export async function untilListening(
  port: number,
  since_ms: number,
  path?: string,
  within_ms = 30_000,
): Promise<number> {
  while (nowMs() - since_ms < within_ms) {
    if (await (path === undefined ? accepts(port) : answers(port, path))) return nowMs() - since_ms
    // Polling, since the process under measurement does not report when it listens.
    await Bun.sleep(1)
  }
  throw new Error(`nothing listens on port ${port} after ${within_ms / 1_000} s`)
}

async function accepts(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } })
    socket.end()
    return true
  } catch {
    return false
  }
}

async function answers(port: number, path: string): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })
    await response.arrayBuffer()
    return response.status === 200
  } catch {
    return false
  }
}

/** CPU time of a process, user and system, of all its threads, ended ones included. No subject starts other processes. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The name in parentheses is field 2; utime and stime are fields 14 and 15 (proc(5)).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

const memoryField = (pid: number, name: string): number => {
  const line = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'latin1'))
  return Number(line?.[1] ?? Number.NaN) / 1024
}

/** Resident memory at this moment, in MiB. */
export const memoryMib = (pid: number): number => memoryField(pid, 'VmRSS')

/** Peak resident memory since the start or the last `forgetPeak`, in MiB. */
export const peakMemoryMib = (pid: number): number => memoryField(pid, 'VmHWM')

/** Resets the peak (`5` to clear_refs, proc(5)). */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5')
