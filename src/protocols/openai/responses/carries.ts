// What translation carries to and from responses.
import { type Carries, dropped, NO_EFFECT, refused, SERVER_SIDE } from '../../carries.ts'
import { carries as chat } from '../carries.ts'
import { isOwn } from './encrypted.ts'

export const carries: Carries = {
  models: 'a model behind responses',
  fields: {
    ...chat.fields,
    system: 'instructions',
    images: refused('a response has no place for them'),
    max_output_tokens: 'max_output_tokens',
    top_k: dropped('responses has no field for it'),
    thinking: 'reasoning',
    output: 'text.format',
    logprobs: 'top_logprobs',
    verbosity: 'text.verbosity',
    cache_key: 'prompt_cache_key',
    stop: refused('responses has no stop sequences'),
    seed: dropped('responses has no seed'),
    candidates: refused('a response is one'),
    frequency_penalty: dropped('responses has no penalties'),
    presence_penalty: dropped('responses has no penalties'),
  },
  pieces: {
    image_url: 'input_image',
    document: 'input_file',
    document_url: 'input_file',
    audio: refused('responses takes no audio'),
    tool_result_image: 'input_image, in the output of the call',
    failed_tool_result: dropped('an output does not say that its tool failed'),
    answered_image: dropped('responses takes back only images that its own tool drew'),
    json_without_schema: 'text.format',
    late_system_message: 'instructions',
    own_thinking: 'reasoning, by its encrypted content',
    thinking_of_others: dropped('only the issuer of a signature can use it'),
  },
  // Thinking without a signature is a summary, which is for people: what the model needs comes beside it, encrypted.
  takesThinking: ({ signature }) => signature === undefined || isOwn(signature),
  own_fields: {
    metadata: NO_EFFECT,
    store: NO_EFFECT,
    service_tier: NO_EFFECT,
    truncation: NO_EFFECT,
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
