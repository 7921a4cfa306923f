// The fields that translation carries to and from the toy protocol: texts, a limit, a temperature and several candidates.
import { type Carries, dropped, refused } from '../../../src/protocols/carries.ts'

const NO_FIELD = dropped('there is no field for it')
const TEXT_ONLY = refused('it takes text only')

export const carries: Carries = {
  models: 'a toy model',
  fields: {
    system: 'lines',
    max_output_tokens: 'limit',
    temperature: 'heat',
    top_p: NO_FIELD,
    top_k: NO_FIELD,
    stop: NO_FIELD,
    seed: NO_FIELD,
    candidates: 'ways',
    thinking: NO_FIELD,
    images: refused('it answers with plain text'),
    output: refused('it answers with plain text'),
    tools: refused('it calls no tools'),
    tool_choice: NO_FIELD,
    parallel_tool_calls: NO_FIELD,
    logprobs: refused('the model returns no log probabilities'),
    frequency_penalty: NO_FIELD,
    presence_penalty: NO_FIELD,
    verbosity: NO_FIELD,
    user: NO_FIELD,
    cache_key: NO_FIELD,
  },
  pieces: {
    image_url: TEXT_ONLY,
    document: TEXT_ONLY,
    document_url: TEXT_ONLY,
    audio: TEXT_ONLY,
    tool_result_image: TEXT_ONLY,
    failed_tool_result: TEXT_ONLY,
    answered_image: NO_FIELD,
    json_without_schema: refused('it answers with plain text'),
    late_system_message: 'lines',
    own_thinking: NO_FIELD,
    thinking_of_others: NO_FIELD,
    cut_arguments: NO_FIELD,
  },
  own_fields: { colour: dropped('other models have none'), dice: refused('no other model rolls any') },
}
