// An answer whose model may have pictures drawn: text calls and image calls in turn, until the model has said its last.
import { GatewayError, invalidRequest, toGatewayError } from '../../domain/errors.ts'
import { formatOf } from '../../domain/image-formats.ts'
import { laterChoice, readDrawing } from '../../protocols/openai/responses/drawing-tool.ts'
import { itemId, responseId } from '../../protocols/openai/responses/ids.ts'
import {
  drawnItem,
  failedItem,
  isPictureItem,
  outcomeOf,
} from '../../protocols/openai/responses/picture-items.ts'
import { recalledFields, recalledOf } from '../../protocols/openai/responses/recalled.ts'
import { writtenUsageSum } from '../../protocols/openai/responses/usage.ts'
import { type Json, type JsonObject, objectsIn, stringIn } from '../../protocols/wire/json.ts'
import { MAX_PROMPT_CHARS } from '../kinds/image/order.ts'
import type { TextBody } from '../kinds/text/body.ts'
import { type OpenedText, readOpened, type TextCall, textCalls } from '../kinds/text/call.ts'
import type { Admitted } from '../life/call.ts'
import { payPart } from '../life/several-calls.ts'
import { drawPicture } from '../pictures/single.ts'
import type { ResponseCall } from './call.ts'
import type { Drawer } from './drawer.ts'
import type { ResponseParts } from './parts.ts'
import { picturesToEdit } from './pictures-to-edit.ts'

/** What is answered, and by whom. */
export interface Asked {
  admitted: Admitted
  text_call: TextCall
  /** The request as its caller sent it. */
  call: ResponseCall
  opened: OpenedText
  drawer: Drawer
}

/** A text call that was made. */
export interface TextTurn {
  answer: Response
  call: ResponseCall
}

/** How many text calls and pictures one response may take. */
const MAX_TURNS = 5
const MAX_PICTURES = 8
/** OpenAI's own minimum. */
const MIN_OUTPUT_TOKENS = 16

export class DrawnAnswer {
  readonly asked: Asked
  readonly #parts: Pick<ResponseParts, 'exchange' | 'images'>
  /** Items that are complete, as they are shown. */
  readonly #output: JsonObject[] = []
  /** The same as their model wrote them, with the results of its calls. */
  readonly #said: JsonObject[] = []
  #usage: JsonObject | undefined
  /** When the first turn began, in its own model's words. */
  #created_at: Json | undefined
  #body: TextBody | undefined
  #turns = 0
  #pictures = 0

  constructor(parts: Pick<ResponseParts, 'exchange' | 'images'>, asked: Asked) {
    this.#parts = parts
    this.asked = asked
  }

  /** How many items are complete: the place of the next one. */
  get length(): number {
    return this.#output.length
  }

  /** Asks the model, the first time or again. @throws GatewayError as `servePaid` */
  async turn(): Promise<TextTurn> {
    const { admitted, text_call, call, opened } = this.asked
    this.#turns++
    const { request_id } = admitted.origin
    const id = this.#turns === 1 ? request_id : `${request_id}-turn-${this.#turns}`
    const part = this.#turns === 1 ? call : call.part(id)
    const first_body = this.#body
    const body = first_body ? this.#keep(await first_body.with(this.#nextFields(first_body))) : opened.body
    const rest: Partial<TextCall> = first_body
      ? {}
      : { revise: async (read) => this.#keep(await call.revise({ ...read, admitted })) }
    const { revise: _, ...plain } = text_call
    const read = { ...plain, ...rest, dialect: part.dialect }
    const answer = await payPart(this.#parts.exchange, admitted, {
      request_id: id,
      kind: textCalls,
      read: (inner) => readOpened(this.#parts.exchange, inner, read, { ...opened, body }),
    })
    return { answer, call: part }
  }

  /** A body that stays for the next turn, until the whole call is over. */
  #keep(body: TextBody): TextBody {
    this.asked.admitted.defer(body.release)
    this.#body = body.as({ release: () => undefined })
    return this.#body
  }

  #nextFields({ fields }: TextBody): JsonObject {
    const { max_output_tokens } = fields
    const spent = Number(this.#usage?.output_tokens ?? 0)
    return {
      ...recalledFields({ ...recalledOf(fields), after: this.#said }),
      tool_choice: this.#turns === MAX_TURNS ? 'none' : laterChoice(fields.tool_choice),
      ...(typeof max_output_tokens === 'number'
        ? { max_output_tokens: Math.max(MIN_OUTPUT_TOKENS, max_output_tokens - spent) }
        : {}),
    }
  }

  isDrawing({ type, name, namespace }: JsonObject): boolean {
    return type === 'function_call' && name === this.asked.drawer.offered.name && !namespace
  }

  /** The item of a call that asks for a picture: drawn, or failed and why. Never throws. */
  async draw(uuid: string, { arguments: written }: JsonObject): Promise<JsonObject> {
    const { admitted, drawer } = this.asked
    const { offered, model, shape } = drawer
    const wanted = readDrawing(written, offered)
    const { background = 'auto', quality = 'auto' } = shape
    const told = { background, quality, revised_prompt: wanted?.prompt ?? '' }
    let action: 'generate' | 'edit' = 'generate'
    try {
      const prompt = this.#allowedPrompt(wanted?.prompt)
      const sources = wanted?.edits
        ? await picturesToEdit(this.#parts.images, admitted, await this.#items())
        : []
      action = sources.length > 0 ? 'edit' : 'generate'
      const request_id = `${admitted.origin.request_id}-image-${this.#pictures}`
      const wish = { request_id, uuid, model, prompt, sources, shape }
      const { exchange, images } = this.#parts
      const { bytes, mime, width, height, revised_prompt } = await drawPicture(
        exchange,
        images,
        admitted,
        wish,
      )
      const picture = {
        bytes,
        size: `${width}x${height}`,
        output_format: formatOf(mime),
        revised_prompt: revised_prompt ?? prompt,
      }
      return drawnItem(uuid, picture, { action, background, quality })
    } catch (thrown) {
      const { request_id } = admitted.origin
      const level = thrown instanceof GatewayError ? 'info' : 'error'
      this.#parts.exchange.log[level](
        { request_id, cause: thrown },
        'a picture of a response could not be drawn',
      )
      return failedItem(uuid, { ...told, action }, toGatewayError(thrown))
    }
  }

  /** Counts the picture. @throws GatewayError invalid_request in words for the model */
  #allowedPrompt(prompt: string | undefined): string {
    const { max_tool_calls } = this.asked.call.asked
    const most = Math.min(MAX_PICTURES, typeof max_tool_calls === 'number' ? max_tool_calls : MAX_PICTURES)
    if (prompt === undefined) throw invalidRequest('The call did not say what to draw.')
    if ([...prompt].length > MAX_PROMPT_CHARS)
      throw invalidRequest(`A prompt may have at most ${MAX_PROMPT_CHARS} characters. Shorten it.`)
    if (this.#pictures >= most) throw invalidRequest(`One response may have at most ${most} images.`)
    this.#pictures++
    return prompt
  }

  /** All items of the conversation as callers know them, those of this answer too. */
  async #items(): Promise<{ body: JsonObject; drawn: readonly JsonObject[] }> {
    const body = this.#body ? await this.#body.read(['input']) : {}
    return { body: { ...body, ...this.#body?.fields }, drawn: this.#output }
  }

  /**
   * Takes what a turn came to.
   * @param response as the turn's own call would answer @param pictures the items in place of calls, by their places
   * @returns whether the model is to be asked again
   */
  take(response: JsonObject, pictures: ReadonlyMap<number, JsonObject>): boolean {
    const items = objectsIn(response.output)
    for (const [index, item] of items.entries()) {
      const picture = pictures.get(index)
      this.#output.push(picture ?? this.shownItem(item))
      this.#said.push(item)
      if (picture)
        this.#said.push({
          type: 'function_call_output',
          call_id: item.call_id ?? '',
          output: outcomeOf(picture),
        })
    }
    this.#usage = writtenUsageSum(this.#usage, response.usage)
    const waits = items.some((item, index) => !pictures.has(index) && isForCaller(item))
    return pictures.size > 0 && !waits && response.status === 'completed' && this.#turns < MAX_TURNS
  }

  /** An item under the id of its place in the whole answer. Called before the next one is complete. */
  shownItem(item: JsonObject, index = this.length): JsonObject {
    const id = itemId(stringIn(item.type) ?? '', this.asked.admitted.origin.request_id, index)
    return { ...item, id }
  }

  /** A response, whole or as far as it has come, as its caller asked for it. */
  shown(response: JsonObject): JsonObject {
    const { tools = [], tool_choice, max_output_tokens = null, store } = this.asked.call.asked
    this.#created_at ??= response.created_at
    const { request_id } = this.asked.admitted.origin
    return {
      ...response,
      id: responseId(request_id),
      created_at: this.#created_at ?? null,
      store: store ?? true,
      tools,
      tool_choice: tool_choice ?? 'auto',
      ...(response.max_output_tokens === undefined ? {} : { max_output_tokens }),
      output: [...this.#output],
      ...(this.#usage ? { usage: this.#usage } : {}),
    }
  }

  /** A response that ends because its model could not be asked again. Pictures that were drawn are an answer without further words. */
  endedBy(thrown: unknown, last: JsonObject): JsonObject {
    const { request_id } = this.asked.admitted.origin
    this.#parts.exchange.log.warn(
      { request_id, cause: thrown },
      'a response with pictures has no closing words',
    )
    const response = this.shown(last)
    if (this.#output.some((item) => isPictureItem(item) && item.status === 'completed')) return response
    const { message, code } = toGatewayError(thrown)
    return {
      ...response,
      status: 'failed',
      completed_at: null,
      error: { code: code ?? 'server_error', message },
    }
  }
}

/** Calls that callers answer, unlike those of tools that a provider runs. */
const isForCaller = ({ type }: JsonObject): boolean =>
  typeof type === 'string' &&
  (/_call$/.test(type) ? !HOSTED_CALLS.has(type) : type === 'mcp_approval_request')

const HOSTED_CALLS: ReadonlySet<string> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
])
