// OpenAI's transcriptions and translations: where they go, and what they report.
// https://platform.openai.com/docs/api-reference/audio/createTranscription
import type { UnitProtocol } from '../unit-calls.ts'
import { readAudioUnits } from './audio-usage.ts'

const verbsAt = (path: string): UnitProtocol => ({
  target: { path, headers: {} },
  readUnits: readAudioUnits,
})

export const openaiTranscriptions = verbsAt('/audio/transcriptions')
export const openaiTranslations = verbsAt('/audio/translations')
