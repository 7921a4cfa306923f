// Standard output and standard error of the process, flushed before it exits.
import type { Writable } from 'node:stream'
import { explain } from '../command-line/failure.ts'
import { EXIT } from '../command-line/terminal.ts'

export interface Output {
  /** Never blocks: unread text is buffered. After a failed write nothing more is written. */
  write(text: string): void
  /** Waits until everything is written. @returns the failure; undefined if there was none */
  drained(): Promise<NodeJS.ErrnoException | undefined>
}

/** @param open opens the stream, at the first write only: `serve` logs to the same descriptor directly */
export function outputTo(open: () => Writable): Output {
  let stream: Writable | undefined
  let failed: NodeJS.ErrnoException | undefined
  let last = Promise.resolve()
  return {
    write(text) {
      if (failed) return
      // Each write reports its failure. Without a listener the event would end the process with a stack trace.
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
 * Waits until the readers of both streams have read everything.
 * @param status of the command: a success counts as failed if its answer could not be written. If the reader, such as `head`, closed the pipe,
 * no message is printed, and the exit status is the one of a process that SIGPIPE ended
 */
export async function endOutput(status: number, out: Output, err: Output): Promise<number> {
  const failed = await out.drained()
  const is_closed = failed?.code === 'EPIPE'
  if (failed && !is_closed) err.write(`error: standard output: ${explain(failed)}\n`)
  // A failure of standard error does not change the status.
  await err.drained()
  if (!failed || status !== EXIT.ok) return status
  return is_closed ? EXIT.reader_left : EXIT.failed
}
