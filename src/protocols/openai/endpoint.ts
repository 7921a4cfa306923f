// The choice between chat completions and responses, for providers that speak both.
import type { Endpoint, Provider } from '../../domain/catalogue.ts'
import { PairMap } from '../../utilities/pair-map.ts'
import { generationName } from '../canonical/request.ts'
import type { ProtocolRoute, RoutedCall } from '../facts.ts'
import { type Generation, generationOf } from './model.ts'
import { MIN_OUTPUT_TOKENS } from './responses/fit.ts'
import { reasonsInChat, servesResponses } from './servers/servers.ts'

/**
 * The endpoint for a call: the route's, if it sets one; responses for callers of responses; otherwise the model's generation and the
 * request decide. Calls from chat completions stay there if that endpoint can serve them.
 * @param caller the name of the caller's protocol
 */
export function endpointFor(call: RoutedCall): Endpoint {
  const { provider, endpoint, caller, facts } = call
  if (!provider.responses) return 'chat_completions'
  if (endpoint !== undefined) return endpoint
  const { chat_lacks, default_effort, is_in_responses } = traitsOf(call)
  if (!is_in_responses) return 'chat_completions'
  if (caller === 'responses') return 'responses'
  if (chat_lacks === 'nothing') return 'chat_completions'
  if (chat_lacks === 'model') return 'responses'
  const { candidates, max_output_tokens = MIN_OUTPUT_TOKENS, offers_tools, stops, effort } = facts
  if (candidates > 1 || max_output_tokens < MIN_OUTPUT_TOKENS) return 'chat_completions'
  if (caller !== 'openai') return stops && !offers_tools ? 'chat_completions' : 'responses'
  const reasons = (effort ?? default_effort) !== 'none'
  return chat_lacks === 'reasoning_with_tools' && offers_tools && reasons ? 'responses' : 'chat_completions'
}

/** All endpoints that calls of a route may use. */
export function endpointsOf(route: ProtocolRoute): readonly Endpoint[] {
  const { provider, endpoint } = route
  if (!provider.responses) return ['chat_completions']
  if (endpoint !== undefined) return [endpoint]
  const { chat_lacks, is_in_responses } = traitsOf(route)
  if (!is_in_responses) return ['chat_completions']
  return chat_lacks === 'model' ? ['responses'] : ['chat_completions', 'responses']
}

interface EndpointTraits extends Pick<Generation, 'chat_lacks' | 'default_effort'> {
  /** Whether its server offers the model in the Responses API. */
  readonly is_in_responses: boolean
}

/** Keyed by provider and model: valid for all calls as long as the catalogue is in force. */
const TRAITS = new PairMap<Provider, string, EndpointTraits>()

function traitsOf(route: ProtocolRoute): EndpointTraits {
  const { provider } = route
  const model = generationName(route)
  const cached = TRAITS.get(provider, model)
  if (cached) return cached
  const generation = generationOf(model)
  return TRAITS.set(provider, model, {
    ...generation,
    ...(reasonsInChat(provider) ? { chat_lacks: 'nothing' as const } : {}),
    is_in_responses: servesResponses(provider, route.model),
  })
}
