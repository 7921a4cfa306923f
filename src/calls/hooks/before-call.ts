// The before-call hooks: each sees the call, and accepts it, changes its body, or refuses it.
import { type ErrorKind, GatewayError, internal } from '../../domain/errors.ts'
import { bodyTooLarge } from '../../http/body.ts'
import type { BeforeCall, PluginRefusal } from '../../plugin-api.ts'
import { isObject } from '../../protocols/wire/json.ts'
import { messageOf } from '../../utilities/thrown.ts'
import { withinTime } from '../../utilities/time-limit.ts'
import type { Admitted } from '../life/call.ts'
import { CallView, type Content } from './call-view.ts'
import type { CallHooks, HooksOfPlugin } from './registered.ts'

interface JsonContent {
  bytes: Uint8Array
  model_id: string | undefined
  /** The surface's limit, which also applies to the body that a hook returns. */
  limit_bytes: number
}

/**
 * Runs the hooks on a JSON request.
 * @returns the bytes for the call: the same object if no hook changed them
 * @throws GatewayError as a hook refuses; internal if a hook fails; invalid_request for a body that is not JSON
 */
export async function beforeJson(
  hooks: CallHooks,
  admitted: Admitted,
  { bytes, model_id, limit_bytes }: JsonContent,
): Promise<Uint8Array> {
  const changed = await runAll(hooks, admitted, { bytes, model_id })
  if (changed === undefined) return bytes
  if (changed.length > limit_bytes) throw bodyTooLarge(limit_bytes)
  return changed
}

/** Runs the hooks on a parsed form, which they cannot change. @param fields in their order, without files */
export async function beforeForm(
  hooks: CallHooks,
  admitted: Admitted,
  fields: Iterable<readonly [name: string, value: string]>,
): Promise<void> {
  if (hooks.before.length === 0) return
  const form: Record<string, string[]> = {}
  for (const [name, value] of fields) form[name] = [...(form[name] ?? []), value]
  for (const values of Object.values(form)) Object.freeze(values)
  await runAll(hooks, admitted, { form: Object.freeze(form) })
}

/** @returns the bytes of the changed body; undefined if no hook changed it */
async function runAll(
  { before, before_limit_ms }: CallHooks,
  admitted: Admitted,
  content: Content,
): Promise<Uint8Array | undefined> {
  let changed: Uint8Array | undefined
  let view = new CallView(admitted, content)
  try {
    for (const plugin of before) {
      plugin.counts.seen += 1
      for (const hook of plugin.before) {
        const bytes = await runOne({ plugin, hook, limit_ms: before_limit_ms }, view)
        if (!bytes) continue
        changed = bytes
        view.close()
        view = new CallView(admitted, { ...content, bytes })
      }
    }
    return changed
  } finally {
    view.close()
  }
}

interface HookRun {
  plugin: HooksOfPlugin
  hook: BeforeCall
  limit_ms: number
}

async function runOne({ plugin, hook, limit_ms }: HookRun, view: CallView): Promise<Uint8Array | undefined> {
  let answer: Answer
  try {
    answer = readAnswer(await withinTime(limit_ms, () => hook(view)), view, plugin.name)
  } catch (thrown) {
    if (view.failure !== undefined) throw view.failure
    plugin.counts.failed += 1
    throw internal(HOOK_FAILED, {
      cause: new Error(`the plugin ${plugin.name} failed before the call: ${messageOf(thrown)}`, {
        cause: thrown,
      }),
    })
  }
  // The hook may have caught the error itself.
  if (view.failure !== undefined) throw view.failure
  if (answer?.refuse) {
    plugin.counts.refused += 1
    throw answer.refuse
  }
  if (answer) plugin.counts.changed += 1
  return answer?.bytes
}

const HOOK_FAILED = 'The gateway failed to handle this request. It has been logged; please try again.'

type Answer =
  | { refuse: GatewayError; bytes?: undefined }
  | { bytes: Uint8Array; refuse?: undefined }
  | undefined

const EXPECTED_RESULT = 'it must return nothing, { body: {…} } or { refuse: { status, message } }'

/** @throws Error for any value that a hook may not return */
function readAnswer(value: unknown, { form }: CallView, plugin: string): Answer {
  if (value === undefined || value === null) return undefined
  if (!isObject(value)) throw new Error(`it returned ${typeof value}; ${EXPECTED_RESULT}`)
  const { body, refuse, ...others } = value as { body?: unknown; refuse?: unknown }
  const [other] = Object.keys(others)
  if (other !== undefined) throw new Error(`it returned { ${other} }; ${EXPECTED_RESULT}`)
  if ((body === undefined) === (refuse === undefined))
    throw new Error(`it returned ${body ? 'both' : '{}'}; ${EXPECTED_RESULT}`)
  if (refuse !== undefined) return { refuse: readRefusal(refuse, plugin) }
  if (form) throw new Error('it returned a body for a form, which can be refused, but not changed')
  if (!isObject(body)) throw new Error(`it returned a body that is no object; ${EXPECTED_RESULT}`)
  return { bytes: Buffer.from(JSON.stringify(body)) }
}

const KINDS: Readonly<Record<NonNullable<PluginRefusal['status']>, ErrorKind>> = {
  400: 'invalid_request',
  401: 'unauthenticated',
  402: 'insufficient_balance',
  403: 'permission_denied',
  404: 'not_found',
  409: 'conflict',
  413: 'payload_too_large',
  422: 'unprocessable',
  429: 'rate_limited',
}
const DEFAULT_STATUS = 403
const MAX_MESSAGE_CHARS = 2_000

function readRefusal(refuse: unknown, plugin: string): GatewayError {
  const { status = DEFAULT_STATUS, message } = (isObject(refuse) ? refuse : {}) as Partial<PluginRefusal>
  const kind = KINDS[status]
  if (kind === undefined)
    throw new Error(`it refused with the status ${status}; it may be ${Object.keys(KINDS).join(', ')}`)
  if (typeof message !== 'string' || message.trim() === '')
    throw new Error('it refused without a message; set refuse: { message } to tell the caller what is wrong')
  return new GatewayError(kind, message.slice(0, MAX_MESSAGE_CHARS), {
    cause: `refused by the plugin ${plugin}`,
  })
}
