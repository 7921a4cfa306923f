// The stream of an image from its provider: its events one at a time, so that only one is in memory.
import { OversizedAnswer, UpstreamFault } from '../../../domain/errors.ts'
import { reportsError } from '../../../protocols/failures.ts'
import type { ImageEvent, ImageProtocol } from '../../../protocols/images.ts'
import { type ByteString, decodeByteString, toByteString } from '../../../protocols/wire/byte-string.ts'
import { parseObject } from '../../../protocols/wire/json.ts'
import { EventCutter, EventWalk } from '../../../protocols/wire/sse.ts'
import { reportedFailure } from '../../../upstream/failures.ts'
import { fromUpstream } from '../../../upstream/transport.ts'
import { turns } from '../../../upstream/turns.ts'

export interface ImageEvents {
  /**
   * The next event that brings an image.
   * @throws UpstreamFault if the stream breaks, ends or is too long; ReportedFailure where it reports an error
   */
  next(): Promise<ImageEvent>
}

export const isEventStream = ({ headers }: Response): boolean =>
  /^text\/event-stream\b/i.test(headers.get('content-type') ?? '')

/** @param limit_bytes of one event */
export function readImageEvents(
  response: Response,
  verbs: Pick<ImageProtocol, 'readEvent' | 'readFailure'>,
  limit_bytes: number,
): ImageEvents {
  const reader = response.body?.getReader()
  const cutter = new EventCutter()
  const whole: ByteString[] = []
  let unfinished_bytes = 0

  async function readMore(): Promise<void> {
    const { value } = reader ? await fromUpstream(reader.read()) : {}
    if (!value) throw new UpstreamFault('the upstream ended its stream before the image was complete')
    unfinished_bytes += value.length
    if (unfinished_bytes > limit_bytes)
      throw new OversizedAnswer(
        `an event of its stream is longer than ${limit_bytes} bytes. Where the provider may send that much, raise max_answer_bytes in [server].`,
      )
    await turns.through(value, (step) => {
      const events = cutter.cut(step)
      if (!events) return
      unfinished_bytes = 0
      const walk = new EventWalk(toByteString(events))
      while (walk.next()) whole.push(walk.data)
    })
  }

  return {
    async next() {
      for (;;) {
        const data = whole.shift()
        const event = data === undefined ? undefined : readEvent(verbs, decodeByteString(data))
        if (event) return event
        if (whole.length === 0) await readMore()
      }
    },
  }
}

/** @throws ReportedFailure */
function readEvent(
  verbs: Pick<ImageProtocol, 'readEvent' | 'readFailure'>,
  text: string,
): ImageEvent | undefined {
  const event = parseObject(text)
  if (!event) return undefined
  if (reportsError(event)) throw reportedFailure(verbs, text)
  return verbs.readEvent?.(event)
}
