// What translation carries from a responses request. Nothing is translated to one: its providers also speak chat completions.
import { type Carries, dropped, NO_EFFECT, refused, SERVER_SIDE } from '../../carries.ts'
import { carries as chat } from '../carries.ts'

export const carries: Carries = {
  models: 'a model behind responses',
  fields: {
    ...chat.fields,
    system: 'instructions',
    images: refused('a response has no place for them'),
    max_output_tokens: 'max_output_tokens',
    thinking: 'reasoning',
    output: 'text.format',
    logprobs: 'top_logprobs',
    stop: refused('responses has no stop sequences'),
    seed: refused('responses has no seed'),
    candidates: refused('a response is one'),
    frequency_penalty: refused('responses has no penalties'),
    presence_penalty: refused('responses has no penalties'),
  },
  pieces: { ...chat.pieces, image_url: 'input_image', document: 'input_file', document_url: 'input_file' },
  own_fields: {
    metadata: NO_EFFECT,
    store: NO_EFFECT,
    service_tier: NO_EFFECT,
    truncation: NO_EFFECT,
    prompt_cache_key: NO_EFFECT,
    prompt_cache_options: NO_EFFECT,
    prompt_cache_retention: NO_EFFECT,
    client_metadata: NO_EFFECT,
    background: NO_EFFECT,
    stream_options: NO_EFFECT,
    max_tool_calls: dropped('it limits tools that a provider runs; the gateway counts its own pictures'),
    context_management: dropped('only its own provider shortens conversations'),
    previous_response_id: dropped('the gateway has put the conversation in its place'),
    access_programs: SERVER_SIDE,
    conversation: SERVER_SIDE,
    image: SERVER_SIDE,
    moderation: SERVER_SIDE,
    prompt: SERVER_SIDE,
  },
}
