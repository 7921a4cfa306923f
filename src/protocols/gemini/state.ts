// Fields of a native request that name something only its provider keeps. https://ai.google.dev/api
import type { StateTable } from '../state.ts'

export const state: StateTable = {
  continuationToken: { fate: 'refused', what: 'an earlier answer' },
  previousInteractionId: { fate: 'refused', what: 'an earlier interaction' },
  'contents[].parts[].fileData.fileUri': {
    fate: 'refused',
    what: 'a stored file, or a bucket of the operator',
  },
  'tools[].fileSearch.fileSearchStoreNames': { fate: 'priced', what: 'file search stores' },
  cachedContent: { fate: 'passes', what: "cached content, held for at all of the model's context" },
}
