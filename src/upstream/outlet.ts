// The two outputs of a stream: the caller's socket, or a reader within the gateway. Both report when their reader is behind.

/** The destination of a stream's bytes. */
export interface Outlet {
  /** @returns a promise if the reader is behind, which resolves once it has caught up; otherwise undefined */
  write(bytes: Uint8Array): Promise<unknown> | undefined
  close(): void
  /** Breaks the answer off before its end. */
  cut(cause: Error): void
}

/** The stream that writes to an outlet. */
interface Source {
  /** Called when the reader starts to read: from then on, the outlet may be written to. */
  onStart(outlet: Outlet): void
  /** Called when its reader cancels it. */
  onCancel(): Promise<void>
}

/** The sink that the runtime provides for a direct stream as the body of an answer. */
interface SocketSink {
  /** @returns the bytes written; a promise if the socket is full */
  write(bytes: Uint8Array): number | Promise<number>
  end(): unknown
}

/**
 * A body for a socket only, written without a queue (bun.sh/docs/api/streams, "Direct ReadableStream"), which saves a quarter of a
 * chunk's cost on the event loop. It cannot tell when a reader other than a socket is behind.
 */
export function socketStream({ onStart, onCancel }: Source): ReadableStream<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const source: object = {
    type: 'direct',
    pull(sink: SocketSink) {
      onStart(new SocketOutlet(sink, resolve, reject))
      return promise
    },
    cancel() {
      resolve()
      return onCancel()
    },
  }
  return new ReadableStream(source)
}

class SocketOutlet implements Outlet {
  readonly #sink: SocketSink
  readonly #closed: () => void
  readonly cut: (cause: Error) => void

  constructor(sink: SocketSink, closed: () => void, cut: (cause: Error) => void) {
    this.#sink = sink
    this.#closed = closed
    this.cut = cut
  }

  write(bytes: Uint8Array): Promise<unknown> | undefined {
    const written = this.#sink.write(bytes)
    return typeof written === 'number' ? undefined : written
  }

  close(): void {
    this.#sink.end()
    this.#closed()
  }
}

/** A stream for any reader. It reads nothing ahead: each chunk that waits for a stalled reader is up to 768 kB. */
export function readableStream({ onStart, onCancel }: Source): ReadableStream<Uint8Array> {
  let has_started = false
  let is_wanted = false
  let caughtUp: (() => void) | undefined
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        is_wanted = true
        caughtUp?.()
        if (has_started) return
        has_started = true
        onStart({
          write(bytes) {
            is_wanted = false
            // A reader that waits for the next chunk calls pull before this returns.
            controller.enqueue(bytes)
            if (is_wanted) return undefined
            return new Promise<void>((resolve) => {
              caughtUp = resolve
            })
          },
          close: () => controller.close(),
          cut: (cause) => controller.error(cause),
        })
      },
      cancel: onCancel,
    },
    { highWaterMark: 0 },
  )
}
