// Fields of a messages request that name something only its provider keeps. https://platform.claude.com/docs/en/api/messages
import type { StateTable } from '../state.ts'

export const state: StateTable = {
  thread: { fate: 'refused', what: 'a conversation that the provider continues' },
  'diagnostics.previous_message_id': { fate: 'refused', what: 'an earlier answer' },
  'container.id': { fate: 'refused', what: 'a container of an earlier call' },
  'messages[].content[].source.file_id': { fate: 'refused', what: 'a stored file' },
  'messages[].content[].file_id': { fate: 'refused', what: 'a stored file' },
  'container.skills': { fate: 'priced', what: 'skills' },
  cache_control: { fate: 'own', what: 'the prompt cache, which only an equal prompt reads' },
}
