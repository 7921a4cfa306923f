// The two ways out of a stream: into the caller's socket, or to a reader within the gateway. Both say when their reader is behind.

/** Where a stream's bytes go. */
export interface Outlet {
  /** @returns where its reader is behind: resolves once they have caught up */
  write(bytes: Uint8Array): Promise<unknown> | undefined
  close(): void
  /** Breaks the answer off before its end. */
  cut(cause: Error): void
}

/** The stream that flows into an outlet. */
interface Source {
  /** The stream is read: it may be written to. */
  begin(outlet: Outlet): void
  /** Its reader has cancelled it. */
  left(): Promise<void>
}

/** The sink that the runtime hands to a direct stream that is the body of an answer. */
interface SocketSink {
  /** @returns the bytes written; a promise where the socket is full */
  write(bytes: Uint8Array): number | Promise<number>
  end(): unknown
}

/**
 * A body for a socket alone: it is written without a queue between (bun.sh/docs/api/streams, "Direct ReadableStream"), which
 * takes a quarter off what a chunk costs the event loop. Nothing tells it that another reader is behind.
 */
export function socketStream({ begin, left }: Source): ReadableStream<Uint8Array> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const source: object = {
    type: 'direct',
    pull(sink: SocketSink) {
      begin(new SocketOutlet(sink, resolve, reject))
      return promise
    },
    cancel() {
      resolve()
      return left()
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

/** A stream for any reader. Nothing is read ahead: each chunk that waits for a reader who stalls is up to 768 kB. */
export function readableStream({ begin, left }: Source): ReadableStream<Uint8Array> {
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
        begin({
          write(bytes) {
            is_wanted = false
            // A reader that waits for the next chunk already pulls before this returns.
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
      cancel: left,
    },
    { highWaterMark: 0 },
  )
}
