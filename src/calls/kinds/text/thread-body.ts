// A large text body: parsed on a thread, which answers the call's questions about it.
import { overloaded } from '../../../domain/errors.ts'
import type { RequestedExtra } from '../../../domain/extras.ts'
import { freeBytes } from '../../../http/free-bytes.ts'
import type { ConversationRequest } from '../../../protocols/canonical/request.ts'
import type { RequestFacts } from '../../../protocols/facts.ts'
import type { Medium } from '../../../protocols/media-places.ts'
import type { JsonObject } from '../../../protocols/wire/json.ts'
import { type Opened, type Question, SAME_BYTES } from '../../parsing/messages.ts'
import { type Parser, readError } from '../../parsing/parser.ts'
import type { SentBody, TextBody } from './body.ts'

let last_body_id = 0

/**
 * Parses a body on the thread.
 * @param body transferred: the caller of this function must not use it afterwards
 * @param protocol the caller's
 * @throws GatewayError as `parseJsonBody`, and overloaded if the thread fails
 */
export async function threadBody(parser: Parser, body: Uint8Array, protocol: string): Promise<TextBody> {
  last_body_id += 1
  const body_id = last_body_id
  let bytes: Uint8Array | undefined = body
  let released = false

  /** @param returned called with the body's bytes after the thread has returned them */
  async function ask<T>(question: Question, returned?: (bytes: Uint8Array) => void): Promise<T> {
    if (!bytes) throw overloaded('The request is still being read. Please retry.')
    const sent = bytes
    bytes = undefined
    const reply = await parser.ask({ body_id, protocol, bytes: sent, question })
    bytes = reply.bytes
    if (released) {
      release()
      throw overloaded('The call was over before its request was read. Please retry.')
    }
    if (reply.error) throw readError(reply.error)
    returned?.(reply.bytes)
    return (reply.value === SAME_BYTES ? reply.bytes : reply.value) as T
  }

  function release(): void {
    released = true
    if (bytes) freeBytes(bytes)
    bytes = undefined
  }

  const { fields, has_images, sha256 } = await ask<Opened>({ ask: 'open' })
  return {
    fields,
    has_images,
    content: sha256,
    ...questionsOf(ask),
    async assertCarries(writing) {
      if (writing.from !== writing.to) await ask({ ask: 'assertCarries', writing })
    },
    conversation: (of, streams) => ask<ConversationRequest>({ ask: 'conversation', protocol: of, streams }),
    async write(writing) {
      let bytes_sent: Uint8Array | undefined
      const written = await ask<SentBody>({ ask: 'write', writing }, (sent) => {
        bytes_sent = sent
      })
      return written.body === SAME_BYTES && bytes_sent ? { ...written, body: bytes_sent } : written
    },
    replace: (changed) => ask<Uint8Array>({ ask: 'replace', fields: changed }),
    read: (names) => ask<JsonObject>({ ask: 'read', names }),
    async with(this: TextBody, changed_fields) {
      const changed_bytes = await ask<Uint8Array>({ ask: 'replace', fields: changed_fields })
      release()
      const changed = await threadBody(parser, changed_bytes, protocol)
      const releaseBoth = () => {
        changed.release()
        this.release()
      }
      // The bytes that the caller sent distinguish it from another request.
      return { ...changed, content: sha256, release: releaseBoth }
    },
    async withImages(this: TextBody, of, taken, images) {
      return this.with(await ask<JsonObject>({ ask: 'imageFields', protocol: of, taken, images }))
    },
    as(this: TextBody, changed) {
      return { ...this, ...changed }
    },
    release,
  }
}

type Ask = <T>(question: Question) => Promise<T>

/** The methods that only ask one question and return its answer. */
const questionsOf = (
  ask: Ask,
): Pick<
  TextBody,
  'facts' | 'leastTokens' | 'extras' | 'session' | 'explainsEmpty' | 'rejectRemembered' | 'imagesBeyond'
> => ({
  facts: (of, over) => ask<RequestFacts>({ ask: 'facts', protocol: of, over }),
  leastTokens: (of) => ask<number>({ ask: 'leastTokens', protocol: of }),
  extras: (of, rules) => ask<readonly RequestedExtra[]>({ ask: 'extras', protocol: of, rules }),
  session: () => ask<string | undefined>({ ask: 'session' }),
  explainsEmpty: () => ask<boolean>({ ask: 'explainsEmpty' }),
  rejectRemembered: (of) => ask<void>({ ask: 'rejectRemembered', protocol: of }),
  imagesBeyond: (of, taken) => ask<readonly Medium[]>({ ask: 'imagesBeyond', protocol: of, taken }),
})
