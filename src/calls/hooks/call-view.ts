// A hook's view of a call: parsed on first use, and closed after the hooks.
import { invalidRequest } from '../../domain/errors.ts'
import type { PluginCall, PluginKey } from '../../plugin-api.ts'
import type { JsonObject } from '../../protocols/wire/json.ts'
import { parseScanned, scanJsonBody } from '../../protocols/wire/json-body.ts'
import type { Admitted } from '../life/call.ts'
import { type CallText, readCallText } from './call-text.ts'

/** Headers that may hold a caller's credential. */
const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'proxy-authorization',
  'cookie',
  'x-api-key',
  'x-goog-api-key',
  'x-litellm-api-key',
  'api-key',
])

export type Content =
  | {
      bytes: Uint8Array
      /** The model, if the URL names it. */
      model_id: string | undefined
    }
  | { form: Readonly<Record<string, readonly string[]>> }

interface ParsedContent extends CallText {
  json: JsonObject
}

/** Common fields are plain values; the body is parsed once, on first access. */
export class CallView implements PluginCall {
  readonly request_id: string
  readonly account: string
  readonly key: PluginKey
  readonly surface: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly form: Readonly<Record<string, readonly string[]>> | undefined
  #content: Content | undefined
  #read: ParsedContent | undefined
  #failure: unknown

  constructor({ origin, caller: { account, key } }: Admitted, content: Content) {
    this.request_id = origin.request_id
    this.account = account.name
    this.key = Object.freeze({ id: key.id, prefix: key.prefix, name: key.name })
    this.surface = origin.surface
    this.path = new URL(origin.request.url).pathname
    this.headers = headersOf(origin.request)
    this.form = 'form' in content ? content.form : undefined
    this.#content = content
    Object.freeze(this)
  }

  /** The error in the body, after a hook has read it: the caller's fault, not the hook's. */
  get failure(): unknown {
    return this.#failure
  }

  get body(): JsonObject | undefined {
    return this.form ? undefined : this.#json().json
  }

  get text(): string {
    return this.form ? formText(this.form) : this.#json().text
  }

  get text_is_cut(): boolean {
    // A form's fields are short.
    return this.form ? false : this.#json().is_cut
  }

  get model(): string | undefined {
    if (this.form) return this.form.model?.[0]
    if (this.#content && 'model_id' in this.#content && this.#content.model_id !== undefined)
      return this.#content.model_id
    const { model } = this.#json().json
    return typeof model === 'string' ? model : undefined
  }

  /** Releases the bytes after the hooks. Fields that were read stay readable. */
  close(): void {
    this.#content = undefined
  }

  #json(): ParsedContent {
    if (this.#read) return this.#read
    if (!this.#content || !('bytes' in this.#content))
      throw new Error('The call is over. Read what you need of it before the hook returns.')
    try {
      this.#read = readBody(this.#content.bytes)
      return this.#read
    } catch (thrown) {
      this.#failure = thrown
      throw thrown
    }
  }
}

/** @throws GatewayError invalid_request if the body is not a JSON object, or if an object in it has a name twice */
function readBody(bytes: Uint8Array): ParsedContent {
  const scanned = scanJsonBody(bytes)
  const { json } = parseScanned(scanned)
  const text = readCallText(json)
  // Of two equal names, a provider may read the one that hooks do not see.
  if (text.values !== scanned.values)
    throw invalidRequest('An object in the request body has the same name twice. Give each name once.')
  return { json, ...text }
}

function headersOf({ headers }: Request): Readonly<Record<string, string>> {
  const visible: Record<string, string> = {}
  for (const [name, value] of headers) if (!SECRET_HEADERS.has(name)) visible[name] = value
  return Object.freeze(visible)
}

function formText(form: Readonly<Record<string, readonly string[]>>): string {
  const { model: _, ...texts } = form
  return Object.values(texts).flat().join('\n')
}
