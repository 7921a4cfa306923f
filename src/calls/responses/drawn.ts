// Responses with pictures, served: one paid call after the other, whole or as one stream.
import { GatewayError } from '../../domain/errors.ts'
import { newImageId } from '../../library/generations.ts'
import { isPictureItem } from '../../protocols/openai/responses/picture-items.ts'
import { type JsonObject, objectsIn } from '../../protocols/wire/json.ts'
import { answerOnce } from '../life/paid-call.ts'
import { type Asked, DrawnAnswer, type TextTurn } from './drawn-answer.ts'
import { type Counter, frameOf, pictureEvent, TurnEvents } from './drawn-events.ts'
import type { ResponseParts } from './parts.ts'

/**
 * Serves a response whose model may have pictures drawn. Each call of it is held, charged and recorded by itself; an Idempotency-Key
 * covers them all.
 *
 * @throws GatewayError as `pay` of its first call; what fails later is told in the response
 */
export const serveDrawn = (
  parts: Pick<ResponseParts, 'exchange' | 'images'>,
  asked: Asked,
): Promise<Response> => {
  const { body, target } = asked.opened
  const order = { content: [body.content], streams: target.streams }
  return answerOnce(parts.exchange, asked.admitted, order, async () => {
    const answer = new DrawnAnswer(parts, asked)
    const first = await answer.turn()
    return target.streams ? streamed(answer, first) : await whole(answer, first)
  })
}

async function whole(answer: DrawnAnswer, first: TextTurn): Promise<Response> {
  let turn = first
  let response: JsonObject
  for (;;) {
    const own = turn.call.answered ?? {}
    const pictures = new Map<number, JsonObject>()
    for (const [index, item] of objectsIn(own.output).entries())
      if (answer.isDrawing(item)) pictures.set(index, await answer.draw(newImageId(), item))
    const goes_on = answer.take(own, pictures)
    response = answer.shown(own)
    if (!goes_on) break
    try {
      turn = await answer.turn()
    } catch (thrown) {
      response = answer.endedBy(thrown, own)
      break
    }
  }
  await keepUnlessFailed(answer, response)
  return new Response(JSON.stringify(response), { headers: first.answer.headers })
}

function streamed(answer: DrawnAnswer, first: TextTurn): Response {
  const { admitted } = answer.asked
  const { place } = admitted
  admitted.keepOpen()
  const reading: Reading = { reader: readerOf(first) }
  const events = eventsOf(answer, reading)
  // What a generator that never began has open is closed here.
  const close = async (): Promise<void> => {
    // What fails here is dropped: its settlement has logged it, and nobody is left to be told.
    await reading.reader.cancel().catch(() => undefined)
    // What still goes on in it ends first, by the caller's signal; what fails then is dropped alike.
    await events.return(undefined).catch(() => undefined)
    await admitted.end()
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const onAbort = () => {
          // Where the gateway itself ends the call its caller is still there, and is told.
          if (place.gone.reason instanceof GatewayError) return
          void close()
          // Its socket is cut: one that does not read would stay open until it is idle for too long.
          controller.error(new Error('the caller left, or stalled'))
        }
        place.gone.listen({ onAbort })
      },
      async pull(controller) {
        try {
          const { value } = await events.next()
          if (value) {
            controller.enqueue(value)
            place.progressed('caller')
            return
          }
        } catch (thrown) {
          await admitted.end()
          throw thrown
        }
        await admitted.end()
        controller.close()
      },
      cancel: close,
    },
    // Nothing is read ahead of the caller.
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: first.answer.headers })
}

interface Reader {
  read(): Promise<{ value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/** The turn that is being read. */
interface Reading {
  reader: Reader
}

function readerOf({ answer }: TextTurn): Reader {
  if (!answer.body) throw new Error('a streamed answer has no body')
  return answer.body.getReader()
}

async function* eventsOf(answer: DrawnAnswer, reading: Reading): AsyncGenerator<Uint8Array, undefined> {
  const counter: Counter = { next: 0 }
  for (;;) {
    const turn = new TurnEvents(answer, counter)
    for (;;) {
      const { value } = await reading.reader.read()
      if (!value) break
      const shown = turn.pass(value)
      if (shown) yield shown
    }
    // A turn without an end has told of it in a record of its own.
    if (!turn.ended) return
    const pictures = new Map<number, JsonObject>()
    for (const [index, picture] of turn.pictures) {
      const { uuid, output_index, call } = picture
      yield numbered(counter, pictureEvent('generating', picture))
      const item = await answer.draw(uuid, turn.ended.status === 'failed' ? {} : call)
      pictures.set(index, item)
      if (item.status === 'completed') yield numbered(counter, pictureEvent('completed', picture))
      yield numbered(counter, { type: 'response.output_item.done', sequence_number: 0, output_index, item })
    }
    const goes_on = answer.take(turn.ended, pictures)
    const next = goes_on && (await nextTurn(answer, reading, turn.ended))
    if (next === true) continue
    const response = next || answer.shown(turn.ended)
    await keepUnlessFailed(answer, response)
    yield numbered(counter, { type: `response.${response.status}`, sequence_number: 0, response })
    return
  }
}

/** @returns true if it has begun, else the response that ends without it */
async function nextTurn(answer: DrawnAnswer, reading: Reading, last: JsonObject): Promise<JsonObject | true> {
  try {
    reading.reader = readerOf(await answer.turn())
    return true
  } catch (thrown) {
    return answer.endedBy(thrown, last)
  }
}

async function keepUnlessFailed(answer: DrawnAnswer, response: JsonObject): Promise<void> {
  if (response.status !== 'failed' || objectsIn(response.output).some(isPictureItem))
    await answer.asked.call.keep(response)
}

function numbered(counter: Counter, event: JsonObject): Uint8Array {
  const frame = frameOf({ ...event, sequence_number: counter.next })
  counter.next++
  return Buffer.from(frame)
}
