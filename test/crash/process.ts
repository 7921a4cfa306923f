// A server process as its driver sees it: its address, its log, and its end.
import type { Subprocess } from 'bun'
import type { LogLine } from '../support/memory-log.ts'
import { commandOf } from '../support/programs.ts'

export interface ServerProcess {
  /** Undefined if the process died before it listened. */
  url: string | undefined
  /** The lines of its log so far, in order. */
  lines: LogLine[]
  child: Subprocess<'ignore', 'pipe', 'pipe'>
  /** All that it wrote to standard error; for the message of a failing test. */
  complaints: Promise<string>
}

/** Starts test/crash/server.ts, and waits until it listens or has died. */
export async function startServer(folder: string, point: string, passing: number): Promise<ServerProcess> {
  const child = Bun.spawn([...commandOf('crash-server'), folder, point, String(passing)], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const listening = Promise.withResolvers<string | undefined>()
  const lines: LogLine[] = []
  void eachLine(child.stdout, (text) => {
    const line: LogLine = JSON.parse(text)
    lines.push(line)
    if (line.message === 'listening') listening.resolve(String(line.url))
  }).finally(() => listening.resolve(undefined))
  const complaints = child.stderr.text()
  return { url: await listening.promise, lines, child, complaints }
}

/** Whole lines only: a line that a dying process had half written is dropped. */
async function eachLine(stream: ReadableStream<Uint8Array>, visit: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of stream) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) visit(part)
  }
}
