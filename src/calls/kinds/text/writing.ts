// A text request as written for a route: translated if the provider speaks another protocol, and fitted to its server.
import type { RequestedTier } from '../../../domain/service-tiers.ts'
import { withoutFields } from '../../../protocols/body-fields.ts'
import type { ConversationRequest, NamedModel } from '../../../protocols/canonical/request.ts'
import { type Carries, refusedByServer } from '../../../protocols/carries.ts'
import { callerFieldName, lostFields } from '../../../protocols/dropped.ts'
import type { Protocol } from '../../../protocols/protocol.ts'
import { STRICT_NAMES, withAcceptedNames } from '../../../protocols/tool-names.ts'
import type { JsonObject } from '../../../protocols/wire/json.ts'
import type { ProviderForm } from './provider-form.ts'
import { withTier } from './request-extras.ts'

/** The parameters of writing a request for a route. Names instead of objects, so that it can be sent to a thread. */
export interface Writing extends NamedModel {
  /** The names of the caller's and the provider's protocol. */
  from: string
  to: string
  streams: boolean
  max_output_tokens: number
  /** Whether the gateway marks cache points for Claude if the caller set none. */
  automatic_caching: boolean
  /** The output limit to send instead of the caller's, if the model or the balance allows less. */
  output_limit: number | undefined
  /** Drops encrypted reasoning that the provider could not read. */
  forgets_reasoning?: boolean | undefined
  /** Requests no reasoning summary, since the provider refused to make one. */
  without_summary?: boolean | undefined
  /** The service tier to request in translation; a request that passes through has it already. */
  service_tier?: RequestedTier | undefined
  /** The form of the provider's requests; undefined for the default form. */
  form?: ProviderForm | undefined
  /** The most units of each extra, for pass-through; undefined without extras. */
  max_units?: Readonly<Record<string, number>> | undefined
}

/** A written request, and the changes to report to the caller. */
export interface WrittenRequest {
  readonly body: JsonObject
  /** Names of dropped fields, in the caller's protocol if it has them. */
  readonly dropped: readonly string[]
  /** Tool names as sent upstream, with the caller's names. */
  readonly renamed_tools: ReadonlyMap<string, string>
  /** JSON was requested in words only: text around it is removed from a whole answer. */
  readonly wants_json: boolean
}

const NOTHING: readonly string[] = []
const NO_NAMES: ReadonlyMap<string, string> = new Map()

/**
 * Writes a request for a provider of another protocol.
 * @param source_body the caller's body, from which `request` was decoded
 * @throws GatewayError invalid_request for a field that the protocol does not support
 */
export function translateRequest(
  source_body: JsonObject,
  request: ConversationRequest,
  protocol: Protocol,
  {
    model,
    generation,
    efforts,
    max_output_tokens,
    automatic_caching,
    form,
    service_tier,
  }: Omit<Writing, 'from' | 'to' | 'streams' | 'output_limit'>,
): WrittenRequest {
  const { text, carries } = protocol
  const renamed = new Map<string, string>()
  const named = withAcceptedNames(request, text.tool_names ?? STRICT_NAMES, renamed)
  const written = text.encodeRequest(named, {
    model,
    generation,
    efforts,
    server: form?.server,
    max_output_tokens,
    automatic_caching,
  })
  const encoded = service_tier ? withTier(protocol, written, service_tier) : written
  const fitted = text.fit?.(encoded, {
    server: form?.server,
    model,
    generation,
    efforts,
    is_translated: true,
  }) ?? {
    body: encoded,
  }
  const { body, dropped = [], renamed_tools = NO_NAMES, lost, asks_json = false } = fitted
  if (lost !== undefined) throw refusedByServer(callerFieldName(lost, request.from, carries))
  for (const [sent, name] of renamed_tools) renamed.set(sent, renamed.get(name) ?? name)
  const lost_fields = lostFields(source_body, request, encoded, protocol).filter(
    (name) => name !== service_tier?.at,
  )
  return {
    body,
    dropped: [...new Set([...lost_fields, ...callerNames(dropped, request.from, carries)])],
    renamed_tools: renamed,
    wants_json: asks_json || (carries.instructs_json === true && request.output?.kind === 'json'),
  }
}

const callerNames = (names: readonly string[], from: Carries, to: Carries): string[] =>
  names.map((name) => callerFieldName(name, from, to))

/** Prepares a request in a provider's protocol for its model, within the output limit that the hold covers. */
export function prepareRequest(body: JsonObject, { text }: Protocol, writing: Writing): JsonObject {
  const { model, generation, streams, forgets_reasoning, without_summary, form, output_limit } = writing
  const server = form?.server
  const adapted = text.prepare(body, {
    model,
    generation,
    streams,
    forgets_reasoning,
    without_summary,
    server,
  })
  return output_limit === undefined ? adapted : text.limitOutput(adapted, output_limit, writing)
}

/** Fits a caller's request to a server of its protocol. Returns the same body if nothing changes. */
export function fitRequest(
  body: JsonObject,
  { text }: Protocol,
  { model, generation, efforts, form }: Pick<Writing, 'model' | 'generation' | 'efforts' | 'form'>,
): WrittenRequest {
  const fit =
    form && text.fit?.(body, { server: form.server, model, generation, efforts, is_translated: false })
  return {
    body: fit?.body ?? body,
    dropped: fit?.dropped ?? NOTHING,
    renamed_tools: fit?.renamed_tools ?? NO_NAMES,
    wants_json: false,
  }
}

/** Applies the fields that the operator drops and sets. */
export function withOperatorFields(written: WrittenRequest, form: ProviderForm | undefined): WrittenRequest {
  if (!form || (form.drop_fields.length === 0 && Object.keys(form.set_fields).length === 0)) return written
  const { drop_fields, set_fields } = form
  const dropped = drop_fields.filter((path) => withoutFields(written.body, [path]) !== written.body)
  const body = { ...withoutFields(written.body, drop_fields), ...set_fields }
  return { ...written, body, dropped: [...new Set([...written.dropped, ...dropped])] }
}
