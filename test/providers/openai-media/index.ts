// The dialect of OpenAI's audio and moderations APIs, and of rerank in the shape of Cohere and Jina.
import type { Dialect, Query, Refusal } from '../dialect.ts'
import type { JsonObject } from '../json.ts'
import { fieldOf } from '../multipart.ts'
import { openai } from '../openai/index.ts'
import { readModeration } from './moderation.ts'
import { readRerank } from './rerank.ts'
import { readSpeech } from './speech.ts'
import { readTranscription } from './transcription.ts'

type Reader = (model: string, body: JsonObject) => Query | Refusal

const READERS: readonly (readonly [end: string, read: Reader])[] = [
  ['/audio/speech', readSpeech],
  ['/audio/transcriptions', readTranscription],
  ['/audio/translations', readTranscription],
  ['/moderations', readModeration],
  ['/rerank', readRerank],
]

const readerOf = (path: string): Reader | undefined => READERS.find(([end]) => path.endsWith(end))?.[1]

export const openaiMedia: Dialect = {
  ...openai,
  name: 'openai-media',
  serves: (path) => readerOf(path) !== undefined,
  read(url, body) {
    const model = fieldOf(body, 'model')
    const read = readerOf(url.pathname)
    if (!read || model === '') return { status: 400, message: 'you must provide a model parameter' }
    return read(model, body)
  },
  refusals: { ...openai.refusals, field: 'input' },
}
