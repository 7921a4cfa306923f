// A text request's body and its queries: parsed on the event loop, or, where it is large, on a thread.
import type { RequestedExtra } from '../../../domain/extras.ts'
import { isAnimatedData } from '../../../media/animation.ts'
import type { ConversationRequest } from '../../../protocols/canonical/request.ts'
import { boundDropped } from '../../../protocols/dropped-bound.ts'
import { explainsEmpty } from '../../../protocols/explains-empty.ts'
import type { RequestFacts } from '../../../protocols/facts.ts'
import type { TakenImages } from '../../../protocols/image-types.ts'
import {
  changeMedia,
  type Medium,
  type MediumChange,
  type RegularBody,
} from '../../../protocols/media-places.ts'
import type { CallerProtocol, Protocol } from '../../../protocols/protocol.ts'
import { callerProtocolOf, protocolNamed, type Registry } from '../../../protocols/registry.ts'
import { sessionInBody } from '../../../protocols/session.ts'
import type { JsonObject } from '../../../protocols/wire/json.ts'
import type { JsonBody } from '../../../protocols/wire/json-body.ts'
import { spliceFields } from '../../../protocols/wire/json-splice.ts'
import { type ExtrasRules, pricedExtras } from './request-extras.ts'
import {
  fitted,
  prepared,
  translated,
  type Writing,
  type WrittenRequest,
  withOperatorFields,
} from './writing.ts'

/** A request as it is sent. */
export interface Written {
  /** The caller's own bytes between equal protocols, else translated. */
  body: Uint8Array | string
  dropped: WrittenRequest['dropped']
  renamed_tools: WrittenRequest['renamed_tools']
  wants_json: WrittenRequest['wants_json']
}

export interface TextBody {
  /** Whether it has images inline. */
  readonly has_images: boolean
  /** The body's top-level fields; where it was parsed on a thread, only those that surfaces read. */
  readonly fields: JsonObject
  /** Tells it from another body under the same Idempotency-Key. */
  readonly content: Uint8Array | string
  /**
   * The facts that the price depends on.
   * @param over fields that are read instead of the body's
   * @throws GatewayError as `readRequest` of the caller's protocol
   */
  facts(protocol: string, over?: JsonObject): RequestFacts | Promise<RequestFacts>
  /** The fewest tokens that its prompt can have. */
  leastTokens(protocol: string): number | Promise<number>
  /** The extras that it requests beyond tokens, where it passes through. @throws GatewayError as `pricedExtras` */
  extras(protocol: string, rules: ExtrasRules): readonly RequestedExtra[] | Promise<readonly RequestedExtra[]>
  /** Tells its conversation from others of the account (`sessionInBody`); undefined where nothing does. */
  session(): string | undefined | Promise<string | undefined>
  /** Whether something in it may make an answer empty. */
  explainsEmpty(): boolean | Promise<boolean>
  /** @throws GatewayError invalid_request naming what a provider alone remembers */
  rejectRemembered(protocol: string): void | Promise<void>
  /** @throws GatewayError invalid_request naming the field that the provider's protocol cannot carry */
  assertCarries(writing: Writing): void | Promise<void>
  /**
   * The whole request in the canonical form.
   * @param streams what the address asks for, where the body does not say
   * @throws GatewayError as `decodeRequest` of the caller's protocol
   */
  conversation(protocol: string, streams: boolean): ConversationRequest | Promise<ConversationRequest>
  /** The body for a provider. @throws as `assertCarries` */
  write(writing: Writing): Written | Promise<Written>
  /** The caller's bytes with these fields in place of theirs, each name once. */
  replace(fields: JsonObject): Uint8Array | Promise<Uint8Array>
  /** More of its top-level fields than `fields` has. */
  read(names: readonly string[]): JsonObject | Promise<JsonObject>
  /** The same request with these fields in place of its own, or beside them. This one is let go of. */
  with(fields: JsonObject): TextBody | Promise<TextBody>
  /** The same body, of which surfaces read other fields, or which is let go of in another way. */
  as(changed: Partial<Pick<TextBody, 'fields' | 'release'>>): TextBody
  /** Its inline images that are not among these, in their order; with the caller's protocol. */
  imagesBeyond(protocol: string, taken: TakenImages): readonly Medium[] | Promise<readonly Medium[]>
  /** The same request with others in the places of these. This one is let go of. */
  withImages(protocol: string, taken: TakenImages, images: readonly Medium[]): TextBody | Promise<TextBody>
  /** Releases the body after its last use. */
  readonly release: () => void
}

const nothing = (): void => {}

/** A body that is parsed. */
export class ParsedBody implements TextBody {
  readonly fields: JsonObject
  readonly has_images: boolean
  readonly content: Uint8Array
  readonly release: () => void
  readonly #protocols: Registry
  readonly #body: JsonBody
  readonly #json: JsonObject
  /** By protocol, server and names of the model: a request is translated once for each. */
  #translated: Map<string, WrittenRequest> | undefined

  /**
   * @param json what it says: all of `body.json`, or that with fields changed; only these are then written anew
   * @param has_images whether it has images inline
   * @param fields what surfaces read of it
   * @param release frees the memory that its bytes take
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
    // Providers of the caller's protocol take every field of it.
    if (writing.from !== writing.to) this.#translate(writing)
  }

  conversation(protocol: string, streams: boolean): ConversationRequest {
    return this.#caller(protocol).decodeRequest(this.#json, streams)
  }

  write(writing: Writing): Written {
    const { from, to, max_units, form } = writing
    const protocol = protocolNamed(this.#protocols, to)
    if (from !== to) {
      const made = this.#translate(writing)
      const written = withOperatorFields({ ...made, body: prepared(made.body, protocol, writing) }, form)
      return { ...written, body: JSON.stringify(written.body) }
    }
    const adapted = prepared(this.#json, protocol, writing)
    const made = withOperatorFields(fitted(adapted, protocol, writing), form)
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

  imagesBeyond(protocol: string, taken: TakenImages): readonly Medium[] {
    const found: Medium[] = []
    const collect = beyond(taken, (image) => {
      found.push(image)
      return image
    })
    changeMedia(this.#json, this.#caller(protocol).media, collect)
    return found
  }

  withImages(protocol: string, taken: TakenImages, images: readonly Medium[]): TextBody {
    return this.with(this.imageFields(protocol, taken, images))
  }

  /** The top-level fields that differ with other images in them. */
  imageFields(protocol: string, taken: TakenImages, images: readonly Medium[]): JsonObject {
    let next = 0
    const put = beyond(taken, (image) => images[next++] ?? image)
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
    const made = translated(this.#json, request, protocolNamed(this.#protocols, to), writing)
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

/** A change of images alone that are not among these. */
const beyond =
  ({ types, takes_animations }: TakenImages, change: MediumChange): MediumChange =>
  (medium) => {
    if (!medium.is_image) return medium
    const is_taken =
      types.includes(medium.mime_type ?? '') && (takes_animations || !isAnimatedData(medium.data))
    return is_taken ? medium : change(medium)
  }

/** The fields that surfaces read of a body, and its release. */
interface BodyOptions extends RegularBody {
  fields: JsonObject
  release: () => void
}
