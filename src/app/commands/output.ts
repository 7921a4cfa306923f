// Standard output and standard error of the process: nothing that was written is lost when it ends.
import type { Writable } from 'node:stream'
import { explain } from '../command-line/failure.ts'
import { EXIT } from '../command-line/terminal.ts'

export interface Output {
  /** Never waits: what the reader does not take yet is kept until they do. Once a write has failed, nothing more is written. */
  write(text: string): void
  /** Waits until all of it is written. @returns why it could not be; undefined if it was */
  drained(): Promise<NodeJS.ErrnoException | undefined>
}

/** @param open the stream, taken at the first write: until then its descriptor is left as it is, since `serve` logs to it */
export function outputTo(open: () => Writable): Output {
  let stream: Writable | undefined
  let failed: NodeJS.ErrnoException | undefined
  let last = Promise.resolve()
  return {
    write(text) {
      if (failed) return
      // Each write tells its own failure. Without a listener the event would end the process with a stack.
      stream ??= open().on('error', () => {})
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      stream.write(text, (error) => {
        failed ??= error ?? undefined
        resolve()
      })
    },
    async drained() {
      await last
      return failed
    },
  }
}

/**
 * Waits for the readers of both, however slow they are.
 * @param status of the command; where its answer could not be written a success is none. A reader who has left, such as `head`,
 * is told nothing, and the status is what a shell shows of a process that SIGPIPE ended
 */
export async function endOutput(status: number, out: Output, err: Output): Promise<number> {
  const failed = await out.drained()
  const has_left = failed?.code === 'EPIPE'
  if (failed && !has_left) err.write(`error: standard output: ${explain(failed)}\n`)
  // A message that nobody can read any more changes nothing of what was done.
  await err.drained()
  if (!failed || status !== EXIT.ok) return status
  return has_left ? EXIT.reader_left : EXIT.failed
}
