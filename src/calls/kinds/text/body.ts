// A text request's body and the questions about it: parsed on the event loop, or on a thread if it is large.
import type { RequestedExtra } from '../../../domain/extras.ts'
import { isAnimatedData } from '../../../media/animation.ts'
import type { ConversationRequest } from '../../../protocols/canonical/request.ts'
import { boundDropped } from '../../../protocols/dropped-bound.ts'
import { explainsEmpty } from '../../../protocols/explains-empty.ts'
import type { RequestFacts } from '../../../protocols/facts.ts'
import type { AcceptedImages } from '../../../protocols/image-types.ts'
import {
  changeMedia,
  type Medium,
  type MediumChange,
  type NormalizedBody,
} from '../../../protocols/media-places.ts'
import type { CallerProtocol, Protocol } from '../../../protocols/protocol.ts'
import { callerProtocolOf, protocolNamed, type Registry } from '../../../protocols/registry.ts'
import { sessionInBody } from '../../../protocols/session.ts'
import type { JsonObject } from '../../../protocols/wire/json.ts'
import type { JsonBody } from '../../../protocols/wire/json-body.ts'
import { spliceFields } from '../../../protocols/wire/json-splice.ts'
import { type ExtrasRules, pricedExtras } from './request-extras.ts'
import {
  fitRequest,
  prepareRequest,
  translateRequest,
  type Writing,
  type WrittenRequest,
  withOperatorFields,
} from './writing.ts'

/** A request as sent upstream. */
export interface SentBody {
  /** The caller's bytes for a provider of the same protocol, otherwise the translation. */
  body: Uint8Array | string
  dropped: WrittenRequest['dropped']
  renamed_tools: WrittenRequest['renamed_tools']
  wants_json: WrittenRequest['wants_json']
}

export interface TextBody {
  /** Whether it has inline images. */
  readonly has_images: boolean
  /** The body's top-level fields; of a body parsed on a thread, only those that surfaces read. */
  readonly fields: JsonObject
  /** Distinguishes the body from another one with the same Idempotency-Key. */
  readonly content: Uint8Array | string
  /**
   * Returns the facts that the price depends on.
   * @param over fields that replace the body's
   * @throws GatewayError as `readRequest` of the caller's protocol
   */
  facts(protocol: string, over?: JsonObject): RequestFacts | Promise<RequestFacts>
  /** Returns the fewest tokens that the prompt can have. */
  leastTokens(protocol: string): number | Promise<number>
  /** Returns the requested extras that are billed beyond tokens, for pass-through. @throws GatewayError as `pricedExtras` */
  extras(protocol: string, rules: ExtrasRules): readonly RequestedExtra[] | Promise<readonly RequestedExtra[]>
  /** Returns a name for its conversation within the account (`sessionInBody`); undefined if the body has none. */
  session(): string | undefined | Promise<string | undefined>
  /** Whether the request itself can cause an empty answer. */
  explainsEmpty(): boolean | Promise<boolean>
  /** Rejects references to state that only one provider stores. @throws GatewayError invalid_request naming the field */
  rejectRemembered(protocol: string): void | Promise<void>
  /** @throws GatewayError invalid_request naming a field that the provider's protocol does not support */
  assertCarries(writing: Writing): void | Promise<void>
  /**
   * Decodes the whole request to the canonical form.
   * @param streams the stream flag of the URL, for a body without one
   * @throws GatewayError as `decodeRequest` of the caller's protocol
   */
  conversation(protocol: string, streams: boolean): ConversationRequest | Promise<ConversationRequest>
  /** Writes the body for a provider. @throws as `assertCarries` */
  write(writing: Writing): SentBody | Promise<SentBody>
  /** Returns the caller's bytes with these fields replaced, each name once. */
  replace(fields: JsonObject): Uint8Array | Promise<Uint8Array>
  /** Reads top-level fields that may be missing in `fields`. */
  read(names: readonly string[]): JsonObject | Promise<JsonObject>
  /** Returns the same request with these fields replaced or added. This one must not be used afterwards. */
  with(fields: JsonObject): TextBody | Promise<TextBody>
  /** Returns the same body with other `fields` or another `release`. */
  as(changed: Partial<Pick<TextBody, 'fields' | 'release'>>): TextBody
  /** Returns, in order, its inline images that providers do not accept. @param protocol the caller's */
  imagesBeyond(protocol: string, taken: AcceptedImages): readonly Medium[] | Promise<readonly Medium[]>
  /** Returns the same request with such images replaced, in order. This one must not be used afterwards. */
  withImages(protocol: string, taken: AcceptedImages, images: readonly Medium[]): TextBody | Promise<TextBody>
  /** Releases the body after its last use. */
  readonly release: () => void
}

const nothing = (): void => {}

export class ParsedBody implements TextBody {
  readonly fields: JsonObject
  readonly has_images: boolean
  readonly content: Uint8Array
  readonly release: () => void
  readonly #protocols: Registry
  readonly #body: JsonBody
  readonly #json: JsonObject
  /** By protocol, server and model names: each is translated once. */
  #translated: Map<string, WrittenRequest> | undefined

  /**
   * @param json the values: all of `body.json`, or with fields changed; only the changed ones are written again
   * @param has_images whether it has inline images
   * @param fields the fields that surfaces read
   * @param release frees the memory of its bytes
   */
  constructor(
    protocols: Registry,
    body: JsonBody,
    { json = body.json, has_images = false, fields = json, release = nothing }: Partial<BodyOptions> = {},
  ) {
    this.fields = fields
    this.has_images = has_images
    this.content = body.bytes
    this.release = release
    this.#protocols = protocols
    this.#body = body
    this.#json = json
  }

  facts(protocol: string, over?: JsonObject): RequestFacts {
    const json = over ? { ...this.#json, ...over } : this.#json
    const facts = this.#caller(protocol).readRequest(json)
    facts.input_bound_tokens += Math.ceil(boundDropped(this.#body))
    return facts
  }

  leastTokens(protocol: string): number {
    return this.#caller(protocol).leastTokens(this.#json)
  }

  extras(protocol: string, rules: ExtrasRules): readonly RequestedExtra[] {
    return pricedExtras(protocolNamed(this.#protocols, protocol), this.#json, rules)
  }

  session(): string | undefined {
    return sessionInBody(this.#json)
  }

  explainsEmpty(): boolean {
    return explainsEmpty(this.#json)
  }

  rejectRemembered(protocol: string): void {
    this.#text(protocol).extras?.rejectRemembered(this.#json)
  }

  assertCarries(writing: Writing): void {
    // Providers of the caller's protocol accept all of its fields.
    if (writing.from !== writing.to) this.#translate(writing)
  }

  conversation(protocol: string, streams: boolean): ConversationRequest {
    return this.#caller(protocol).decodeRequest(this.#json, streams)
  }

  write(writing: Writing): SentBody {
    const { from, to, max_units, form } = writing
    const protocol = protocolNamed(this.#protocols, to)
    if (from !== to) {
      const made = this.#translate(writing)
      const written = withOperatorFields(
        { ...made, body: prepareRequest(made.body, protocol, writing) },
        form,
      )
      return { ...written, body: JSON.stringify(written.body) }
    }
    const adapted = prepareRequest(this.#json, protocol, writing)
    const made = withOperatorFields(fitRequest(adapted, protocol, writing), form)
    const counted = max_units && protocol.text.extras?.limitUnits?.(made.body, (name) => max_units[name])
    const { dropped, renamed_tools, wants_json } = made
    return { body: spliceFields(this.#body, counted ?? made.body), dropped, renamed_tools, wants_json }
  }

  replace(fields: JsonObject): Uint8Array {
    return spliceFields(this.#body, { ...this.#json, ...fields })
  }

  read(): JsonObject {
    return this.#json
  }

  with(fields: JsonObject): TextBody {
    const json = { ...this.#json, ...fields }
    const { has_images, release } = this
    return new ParsedBody(this.#protocols, this.#body, { json, has_images, release })
  }

  imagesBeyond(protocol: string, taken: AcceptedImages): readonly Medium[] {
    const found: Medium[] = []
    const collect = unlessAccepted(taken, (image) => {
      found.push(image)
      return image
    })
    changeMedia(this.#json, this.#caller(protocol).media, collect)
    return found
  }

  withImages(protocol: string, taken: AcceptedImages, images: readonly Medium[]): TextBody {
    return this.with(this.imageFields(protocol, taken, images))
  }

  /** Returns the top-level fields that change when images are replaced. */
  imageFields(protocol: string, taken: AcceptedImages, images: readonly Medium[]): JsonObject {
    let next = 0
    const put = unlessAccepted(taken, (image) => images[next++] ?? image)
    const changed = changeMedia(this.#json, this.#caller(protocol).media, put)
    return Object.fromEntries(Object.entries(changed).filter(([name, value]) => value !== this.#json[name]))
  }

  as({ fields = this.fields, release = this.release }: Partial<BodyOptions>): TextBody {
    const { has_images } = this
    return new ParsedBody(this.#protocols, this.#body, { json: this.#json, has_images, fields, release })
  }

  #translate(writing: Writing): WrittenRequest {
    const { from, to, streams, model, generation, form } = writing
    this.#translated ??= new Map()
    const name = JSON.stringify([to, form?.server, model, generation])
    const known = this.#translated.get(name)
    if (known) return known
    const request = this.#caller(from).decodeRequest(this.#json, streams)
    const made = translateRequest(this.#json, request, protocolNamed(this.#protocols, to), writing)
    this.#translated.set(name, made)
    return made
  }

  #text(protocol: string): Protocol['text'] {
    return protocolNamed(this.#protocols, protocol).text
  }

  #caller(protocol: string): CallerProtocol['text'] {
    return callerProtocolOf(this.#protocols, protocol).text
  }
}

/** Limits a change to the images that providers do not accept. */
const unlessAccepted =
  ({ types, takes_animations }: AcceptedImages, change: MediumChange): MediumChange =>
  (medium) => {
    if (!medium.is_image) return medium
    const is_taken =
      types.includes(medium.mime_type ?? '') && (takes_animations || !isAnimatedData(medium.data))
    return is_taken ? medium : change(medium)
  }

/** The fields that surfaces read, and the body's release. */
interface BodyOptions extends NormalizedBody {
  fields: JsonObject
  release: () => void
}
