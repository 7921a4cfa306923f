// The order of a text call: the request, the routes that support it, its requested extras, and the facts behind its price.
import type { Catalogue, TextModel } from '../../../domain/catalogue.ts'
import type { RequestedExtra } from '../../../domain/extras.ts'
import type { Medium } from '../../../domain/media/medium.ts'
import { boundMedia, isUncounted } from '../../../domain/media/tokens.ts'
import type { Nanos } from '../../../domain/money.ts'
import type { RequestedTier } from '../../../domain/service-tiers.ts'
import type { QuotedRequest } from '../../../money/pricing/quote.ts'
import { priceAt } from '../../../money/pricing/service-tiers.ts'
import { generationName } from '../../../protocols/canonical/request.ts'
import type { RequestFacts } from '../../../protocols/facts.ts'
import type { CallerProtocol } from '../../../protocols/protocol.ts'
import { upstreamProtocol } from '../../../protocols/registry.ts'
import { sessionInHeaders } from '../../../protocols/session.ts'
import { refusal } from '../../../protocols/wire/json.ts'
import type { Awaitable } from '../../../store/db.ts'
import { hasChoice, routesWithProviders } from '../../../upstream/routes.ts'
import { after } from '../../../utilities/after.ts'
import type { CallTarget } from '../../bodies/arrival.ts'
import type { Admitted } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'
import { withSupportingRoutes } from '../../serving/dispatch-call.ts'
import type { TextBody } from './body.ts'
import { estimatedFor } from './counting.ts'
import { maxCredibleInput, maxExtrasCost } from './extras.ts'
import type { ReadText, TextCall, TextOrder } from './order.ts'
import type { Passages } from './passage.ts'
import { passagesOf } from './passages.ts'
import { formOf } from './provider-form.ts'
import { extrasRules, pricedHeaders, requestsLongContext } from './request-extras.ts'

/** @throws GatewayError for features that the model does not support */
export function orderOf(
  parts: CallParts,
  call: TextCall,
  { model_id, streams }: CallTarget,
  { admitted, model: requested, body, facts: body_facts }: ReadText,
): Awaitable<TextOrder> {
  const facts = estimatedFor(requested, withExtraBound(body_facts, operatorFieldTokens(parts, requested)))
  const dialect = call.dialect(body.fields)
  if (facts.cached_content !== undefined && requested.cached_content === 'refuse')
    throw refusal(facts.cached_content, 'cannot be used with this model. Send the content itself.')
  const context = {
    id: admitted.origin.request_id,
    model: model_id,
    created_s: Math.floor(admitted.started_ms / 1000),
    shows_usage: dialect.shows_usage,
    request_fields: body.fields,
  }
  const request = { dialect, body, streams, context }
  const { name } = call.protocol
  const forwarded_headers = pricedHeaders(parts.protocols.get(name), requested, call.forwarded_headers)
  const service_tier = facts.service_tier && pricedTier(requested, facts.service_tier)
  const passes_through = allPassThrough(parts, call.protocol, requested, facts)
  const carried = passes_through
    ? after(body.extras(name, extrasRules(requested, forwarded_headers)), (extras) => ({
        model: requested,
        extras,
      }))
    : routesForText(parts, { call, forwarded_headers, requested, body, streams, facts, service_tier })
  return after(carried, ({ model, extras }) => {
    const fits = assertFits(call, requested, body, facts, extras)
    const found = after(fits, () => sessionOf(parts, admitted, model, body))
    return after(found, (session) => {
      const passages = passagesOf(request, facts, parts.protocols, { forwarded_headers, extras })
      const priced = passes_through
        ? facts
        : withMinOutput(parts.catalogue(), model, passages, withCacheWrites(facts))
      const media = mediaAsRead(priced, passes_through)
      const extras_nanos = model.price.extras && extrasOf(parts.catalogue(), model, passages)
      return {
        model,
        streams,
        content: [body.content],
        request,
        facts,
        session,
        quoted: quotedRequest(model, media.length > 0 ? { ...priced, media } : priced, extras, extras_nanos),
        is_uncounted: media.length > 0 && isUncounted(media, model.routes.map(generationName)),
        service_tier,
        price: priceAt(model.price, service_tier?.name) ?? model.price,
        passages,
      }
    })
  })
}

/** Names the call's conversation if its model has a choice of routes or keys. */
function sessionOf(
  { catalogue }: CallParts,
  { origin }: Admitted,
  { routes }: TextModel,
  body: TextBody,
): Awaitable<string | undefined> {
  if (!hasChoice(routes, catalogue().providers)) return undefined
  return sessionInHeaders(origin.request.headers) ?? body.session()
}

/** Returns the requested tier if the model has a price for it. An unpriced tier is refused, or dropped by translation. */
const pricedTier = ({ price }: TextModel, tier: RequestedTier): RequestedTier | undefined =>
  price.service_tiers?.has(tier.name) ? tier : undefined

/** Returns the most tokens of the fields that the operator sets for a provider. */
function operatorFieldTokens({ catalogue, protocols }: CallParts, model: TextModel): number {
  let tokens = 0
  for (const { provider } of routesWithProviders(catalogue(), model))
    tokens = Math.max(tokens, formOf(protocols, provider)?.set_tokens ?? 0)
  return tokens
}

const withExtraBound = (facts: RequestFacts, tokens: number): RequestFacts =>
  tokens === 0 ? facts : { ...facts, input_bound_tokens: facts.input_bound_tokens + tokens }

/** Counts a prompt whose estimate exceeds the context. @throws GatewayError in the format of the caller's protocol */
function assertFits(
  { protocol }: TextCall,
  { context }: TextModel,
  body: TextBody,
  { input_tokens }: RequestFacts,
  extras: readonly RequestedExtra[],
): Awaitable<void> {
  if (input_tokens <= context || extras.some(requestsLongContext)) return
  return after(body.leastTokens(protocol.name), (tokens) => {
    if (tokens > context) throw protocol.text.promptTooLong(tokens, context)
  })
}

/** Whether all providers of a model are called in the caller's protocol, so that each can get the same bytes. */
const allPassThrough = (
  { protocols, catalogue }: CallParts,
  { name: caller }: CallerProtocol,
  model: TextModel,
  facts: RequestFacts,
): boolean =>
  routesWithProviders(catalogue(), model).every(
    (route) => upstreamProtocol(protocols, { ...route, caller, facts }).name === caller,
  )

interface RoutableRequest {
  call: TextCall
  forwarded_headers: TextCall['forwarded_headers']
  requested: TextModel
  body: TextBody
  streams: boolean
  service_tier: RequestedTier | undefined
  facts: RequestFacts
}

/**
 * Returns the model with the routes that support the request, and the extras that it requests from pass-through routes.
 * @throws GatewayError as `withSupportingRoutes`
 */
async function routesForText(
  parts: CallParts,
  { call, forwarded_headers, requested, body, streams, facts, service_tier }: RoutableRequest,
): Promise<{ model: TextModel; extras: readonly RequestedExtra[] }> {
  const from = call.protocol.name
  const { efforts, max_output_tokens, automatic_caching } = requested
  let extras: readonly RequestedExtra[] = []
  const model = await withSupportingRoutes(parts, requested, async (provider, route) => {
    const to = upstreamProtocol(parts.protocols, { ...route, provider, caller: from, facts }).name
    if (to === from) extras = await body.extras(from, extrasRules(requested, forwarded_headers))
    else
      await body.assertCarries({
        from,
        to,
        streams,
        model: route.model,
        generation: route.generation,
        efforts,
        max_output_tokens,
        automatic_caching,
        output_limit: undefined,
        service_tier,
        form: formOf(parts.protocols, provider),
      })
  })
  return { model, extras }
}

/** Providers of another protocol may charge for cache writes, which the caller's protocol does not have. */
const withCacheWrites = (facts: RequestFacts): RequestFacts =>
  facts.input_fields ? { ...facts, input_fields: [...facts.input_fields, 'cache_write_5m_tokens'] } : facts

/** Raises the output limit to the lowest one that a provider's protocol allows, since such a provider is sent that. */
function withMinOutput(
  catalogue: Catalogue,
  model: TextModel,
  passages: Passages,
  facts: RequestFacts,
): RequestFacts {
  const requested = facts.max_output_tokens
  if (requested === undefined) return facts
  const minimums = routesWithProviders(catalogue, model).map(
    (route) => passages(route).protocol.text.min_output_tokens ?? 0,
  )
  return { ...facts, max_output_tokens: Math.max(requested, ...minimums) }
}

/** @param extras_nanos the most that the extras can cost; undefined if the model has no prices for extras */
function quotedRequest(
  model: TextModel,
  facts: RequestFacts,
  extras: readonly RequestedExtra[],
  extras_nanos: Nanos | undefined,
): QuotedRequest {
  const { max_output_tokens, candidates, input_fields } = facts
  const limit = model.max_output_tokens
  const quoted = {
    input_bound_tokens: inputToHold(model, facts, extras),
    max_output_tokens: Math.min(max_output_tokens ?? limit, limit),
    candidates,
    input_fields,
  }
  return extras_nanos === undefined ? quoted : { ...quoted, extras_nanos }
}

const NO_MEDIA: readonly Medium[] = []

/** Returns the media as the model reads them. Translation drops the requested image detail. */
const mediaAsRead = ({ media = NO_MEDIA }: RequestFacts, passes_through: boolean): readonly Medium[] =>
  passes_through ? media : media.map((one) => (one.kind === 'image' ? { ...one, detail: undefined } : one))

/**
 * Returns the input tokens to hold: the request's bound, but at most what a provider's report may claim; for a report above that, the
 * estimate is charged. Cached content, which the gateway does not see, may fill the model's whole context.
 */
function inputToHold(model: TextModel, facts: RequestFacts, extras: readonly RequestedExtra[]): number {
  const { input_tokens, input_bound_tokens, media, cached_content } = facts
  const media_tokens = media ? boundMedia(media, model.routes.map(generationName), model.context) : 0
  const most_tokens = input_bound_tokens + media_tokens
  const bound_tokens = Math.min(most_tokens, maxCredibleInput(model, facts, extras) ?? most_tokens)
  return Math.max(input_tokens, bound_tokens, cached_content === undefined ? 0 : model.context)
}

/** Returns the most that a call's extras can cost on any of its model's routes. */
export const extrasOf = (catalogue: Catalogue, model: TextModel, passages: Passages): Nanos =>
  maxExtrasCost(model, routesWithProviders(catalogue, model).map(passages))
