// One call of the responses surface: changes its request, converts its answer, and keeps both.
import type { Catalogue, Model, TextModel } from '../../domain/catalogue.ts'
import { NO_USAGE } from '../../domain/usage.ts'
import { markOf } from '../../observe/key-mark.ts'
import {
  compactedResponse,
  compactionFields,
  compactionObject,
} from '../../protocols/openai/responses/compaction.ts'
import { responses } from '../../protocols/openai/responses/index.ts'
import {
  type CallerView,
  PublicEvents,
  publicResponse,
} from '../../protocols/openai/responses/public-response.ts'
import {
  addedTools,
  itemsOf,
  RECALLED,
  recalledFields,
  resolveReferences,
} from '../../protocols/openai/responses/recalled.ts'
import { missingConversationError } from '../../protocols/openai/responses/request.ts'
import { skeletonOf } from '../../protocols/openai/responses/response-object.ts'
import { forcedTool, offeredChoice, offeredTools } from '../../protocols/openai/responses/tools.ts'
import { writeUsage } from '../../protocols/openai/responses/usage.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import {
  isObject,
  type JsonObject,
  objectIn,
  objectsIn,
  parseObject,
  refusal,
  stringIn,
} from '../../protocols/wire/json.ts'
import type { KeptResponse } from '../../responses/kept-responses.ts'
import { type Attempt, routesWithProviders } from '../../upstream/routes.ts'
import type { TextBody } from '../kinds/text/body.ts'
import type { AnswerHooks, Dialect } from '../kinds/text/dialect.ts'
import type { ReadText } from '../kinds/text/order.ts'
import type { CallOrigin } from '../life/call.ts'
import { responseFrame } from './frame.ts'
import { withoutPictures } from './kept-pictures.ts'
import { type ResponseParts, recall } from './recall.ts'
import type { RecentResponses, Remembered } from './recent.ts'

interface CallOptions {
  /** Whether the endpoint only compacts (summarizes) the conversation. */
  only_compacts?: boolean
  /** Whether no model is called. The conversation may then come with the next request, which continues this one. */
  only_prepares?: boolean
  /** The connection's memory. */
  recent?: RecentResponses | undefined
}

/** The parts of a call that are kept besides its response. */
interface KeptParts extends Omit<KeptResponse, 'id' | 'response'> {
  /** Whether it is kept for all requests; if false, only its connection remembers it. */
  is_kept: boolean
  /** The response that the call continues, if the connection has it. */
  remembered: Remembered | undefined
  /** The items of the continued conversation. */
  before: readonly JsonObject[]
}

const NOTHING_RECALLED = { before: [], items: {} }

/** Whether a model has a provider that speaks the responses protocol, and so gets requests unchanged. */
const hasOwnProvider = (catalogue: Catalogue, model: Model): boolean =>
  routesWithProviders(catalogue, model).some(({ provider }) => responses.isSpokenBy?.(provider) === true)

export class ResponseCall implements AnswerHooks {
  readonly headers: Record<string, string> = {}
  readonly #parts: ResponseParts
  readonly #origin: CallOrigin
  readonly #only_compacts: boolean
  readonly #only_prepares: boolean
  readonly #recent: RecentResponses | undefined
  #compacts: boolean
  #request: JsonObject = {}
  #keeping: KeptParts | undefined
  /** Converts a provider's responses answer to its public form; undefined for a translated answer. */
  #caller_view: CallerView | undefined
  #public_events: PublicEvents | undefined
  /** The response as answered, or the event that contains it. */
  #response: JsonObject | string | undefined

  constructor(
    parts: ResponseParts,
    origin: CallOrigin,
    { only_compacts = false, only_prepares = false, recent }: CallOptions = {},
  ) {
    this.#parts = parts
    this.#origin = origin
    this.#only_compacts = only_compacts
    this.#only_prepares = only_prepares
    this.#recent = recent
    this.#compacts = only_compacts
  }

  readonly revise = async (read: ReadText): Promise<TextBody> => {
    const { body, facts, admitted } = read
    const { fields } = body
    if (fields[RECALLED] !== undefined) throw refusal(RECALLED, 'is unknown. Leave it out.')
    if (facts.lacks_conversation && !this.#only_prepares) throw missingConversationError()
    this.#request = fields
    this.#compacts ||= facts.compacts === true
    const account_id = admitted.caller.account.id
    const { responses: store } = this.#parts
    const previous_id = facts.refers_to?.previous
    const remembered = previous_id === undefined ? undefined : this.#recent?.find(previous_id)
    const recalled = facts.refers_to && (await recall(this.#parts, admitted, facts.refers_to, remembered))
    const changes = this.#offeredTools(read.model, fields)
    // A provider that speaks responses itself reads the tools from the items.
    const added = [...addedTools(recalled?.before ?? []), ...(facts.added_tools ?? [])]
    const { tools } = offeredTools(added, false, [])
    if (recalled || tools.length > 0)
      Object.assign(changes, recalledFields({ ...(recalled ?? NOTHING_RECALLED), tools: objectsIn(tools) }))
    const is_kept = store.enabled && fields.store !== false
    if ((is_kept || this.#recent) && !this.#compacts) {
      const { input } = await body.read(['input'])
      this.#keeping = {
        account_id,
        previous_id,
        created_at_ms: admitted.started_ms,
        input: resolveReferences(itemsOf(input), recalled?.items ?? {}).filter(isObject),
        is_kept,
        remembered,
        before: this.#recent ? (recalled?.before ?? []) : [],
      }
    }
    if (this.#compacts) {
      const { input } = await body.read(['input'])
      Object.assign(changes, compactionFields({ ...fields, input: input ?? null, ...changes }))
    }
    const revised = Object.keys(changes).length === 0 ? body : await body.with(changes)
    if (store.enabled || fields.store === false) return revised
    // The answer says `store: false`, since responses are not kept.
    this.#request = { ...fields, store: false }
    return revised.as({ fields: { ...revised.fields, store: false } })
  }

  /** Drops tools that this model cannot run, and names them in a header. @throws GatewayError if tool_choice forces one of them */
  #offeredTools(model: TextModel, fields: JsonObject): JsonObject {
    if (!Array.isArray(fields.tools)) return {}
    const passes = hasOwnProvider(this.#parts.calls.catalogue(), model)
    const { tools, dropped } = offeredTools(fields.tools, passes, [...(model.price.extras?.keys() ?? [])])
    if (dropped.length === 0) return {}
    const forced =
      fields.tool_choice === 'required' && tools.length === 0
        ? dropped[0]
        : forcedTool(fields.tool_choice, dropped)
    if (forced !== undefined)
      throw refusal(
        'tool_choice',
        `asks for ${forced}, which this model does not have here. Choose another tool, or another model.`,
      )
    this.headers['x-tollgate-dropped'] = dropped.join(', ')
    const choice = offeredChoice(fields.tool_choice, dropped)
    return {
      tools,
      ...(choice === undefined || tools.length === 0 ? { tool_choice: 'auto' } : { tool_choice: choice }),
    }
  }

  readonly dialect = (): Dialect => ({
    protocol: responses,
    frame: responseFrame({
      rewritten: (data) => this.#public_events?.event(data) ?? data,
      compacts: () => (this.#compacts ? this.#origin.request_id : undefined),
      ended: (data) => {
        this.#response = data
      },
    }),
    raw: false,
    shows_usage: true,
    answering: this,
  })

  answeredBy({ api_key }: Attempt, protocol: Protocol): void {
    this.#caller_view = undefined
    this.#public_events = undefined
    if (protocol !== responses) return
    this.#caller_view = {
      call_id: this.#origin.request_id,
      model: String(this.#request.model),
      request_fields: this.#request,
      issuer: markOf(api_key),
    }
    this.#public_events = new PublicEvents(this.#caller_view)
  }

  whole(answer: JsonObject): JsonObject {
    const response = this.#caller_view ? publicResponse(answer, this.#caller_view) : answer
    this.#response = response
    if (!this.#compacts) return response
    const compacted = compactedResponse(response, this.#origin.request_id)
    this.#response = compacted
    return this.#only_compacts ? compactionObject(compacted) : compacted
  }

  async paid(): Promise<void> {
    const response =
      typeof this.#response === 'string' ? objectIn(parseObject(this.#response)?.response) : this.#response
    if (response) await this.keep(response)
  }

  /**
   * Makes the response to a request that calls no model: as created, and as completed. Only its connection remembers it.
   * @param started_ms Unix time
   */
  async prepared(started_ms: number): Promise<{ created: JsonObject; completed: JsonObject }> {
    const created_s = Math.floor(started_ms / 1000)
    const model = stringIn(this.#request.model) ?? ''
    const { request_id: id } = this.#origin
    const created = skeletonOf({ id, model, created_s, shows_usage: true, request_fields: this.#request })
    const usage = writeUsage(NO_USAGE)
    const completed = { ...created, status: 'completed', completed_at: created_s, usage }
    if (this.#keeping) this.#keeping = { ...this.#keeping, is_kept: false }
    await this.keep(completed)
    return { created, completed }
  }

  /** Keeps the response. Never throws. */
  async keep(response: JsonObject): Promise<void> {
    const {
      images: { library },
      calls: { log },
    } = this.#parts
    if (!this.#keeping) return
    const { account_id } = this.#keeping
    try {
      const keeping = {
        ...this.#keeping,
        input: await withoutPictures(library, account_id, this.#keeping.input),
      }
      const is_kept = keeping.is_kept && (await this.#isStored(keeping, response))
      await this.#remember({ ...keeping, is_kept }, response)
    } catch (cause) {
      log.warn({ request_id: this.#origin.request_id, cause }, 'a response could not be remembered')
    }
  }

  async #isStored(keeping: KeptParts, response: JsonObject): Promise<boolean> {
    try {
      await this.#store(keeping, response)
      return true
    } catch (cause) {
      // The answer is already paid and sent. Only its connection can continue it.
      this.#parts.calls.log.warn(
        { request_id: this.#origin.request_id, cause },
        'a response could not be kept',
      )
      return false
    }
  }

  async #remember({ remembered, before, input, is_kept }: KeptParts, response: JsonObject): Promise<void> {
    const id = String(response.id)
    const all = remembered ? input : [...before, ...input]
    await this.#recent?.remember({ id, input: all, response, previous: remembered, is_kept })
  }

  /** Stores the response. If it continues one that only the connection has, it is stored with the whole conversation. */
  async #store(keeping: KeptParts, response: JsonObject): Promise<void> {
    const { account_id, created_at_ms, remembered, before } = keeping
    const is_first = remembered !== undefined && !remembered.is_kept
    const previous_id = is_first ? undefined : keeping.previous_id
    const input = is_first ? [...before, ...keeping.input] : keeping.input
    const id = String(response.id)
    await this.#parts.responses.keep({ account_id, created_at_ms, previous_id, input, id, response })
  }
}
