// Fields of requests to OpenAI's servers that name something only the provider keeps.
// https://platform.openai.com/docs/api-reference
import type { StateTable } from '../state.ts'

export const state: StateTable = {
  previous_response_id: { fate: 'refused', what: 'a stored response' },
  conversation: { fate: 'refused', what: 'a stored conversation' },
  thread_id: { fate: 'refused', what: 'a stored conversation' },
  container: { fate: 'refused', what: 'a container of an earlier call' },
  'prompt.id': { fate: 'refused', what: 'a stored prompt' },
  'messages[].content[].file.file_id': { fate: 'refused', what: 'a stored file' },
  'messages[].audio.id': { fate: 'refused', what: 'an earlier spoken answer' },
  'tools[].container': {
    fate: 'refused',
    what: 'a container of an earlier call, or stored files in a new one',
  },
  'tools[].vector_store_ids': { fate: 'priced', what: 'vector stores' },
  store: { fate: 'not kept', what: 'the storing of the answer' },
  prompt_cache_key: { fate: 'own', what: 'the prompt cache, which only an equal prompt reads' },
}
