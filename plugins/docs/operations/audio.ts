// Audio in the document: speech, transcriptions and translations.
import { Speech } from '../../../src/protocols/openai/speech.ts'
import { PAID_HEADERS } from '../headers.ts'
import {
  type Answer,
  type Content,
  eventsOf,
  IDEMPOTENCY_KEY,
  PAID_FAILURES,
  type Written,
} from '../operation.ts'
import { AUDIO_FILE } from '../samples.ts'
import { anyObject, described, flag, list, object, quantity, text, words } from '../schema.ts'

const audio = {
  tag: 'Audio',
  dialect: 'openai',
  parameters: [IDEMPOTENCY_KEY],
  fails: PAID_FAILURES,
} as const

const binary = (type: string): Content => ({
  [type]: { schema: { type: 'string', format: 'binary', description: 'The audio.' } },
})

const audioEvent = object(
  {
    type: text('`speech.audio.delta`, then `speech.audio.done`.'),
    audio: text('A piece of the audio in base64.'),
    usage: anyObject('The tokens, at the end.'),
  },
  { required: ['type'] },
)

export const speech: readonly Written[] = [
  {
    ...audio,
    id: 'createSpeech',
    summary: 'Speak a text',
    description:
      'The audio leaves as it comes from the provider. Audio that breaks off ends with a broken connection, since nothing can be appended to it.',
    body: {
      'application/json': {
        schema: described(
          Speech,
          {
            model: text('The name of a speech model.'),
            input: 'The text.',
            voice: text("The name of a voice of the provider's."),
            instructions: 'How it is to be spoken.',
            response_format: "`mp3` and others; what there is, is the provider's choice.",
            speed: { type: 'number', minimum: 0.25, maximum: 4, description: 'How fast.' },
            stream_format: 'Plain audio, or events with pieces of it.',
          },
          { required: ['model', 'voice'] },
        ),
        examples: {
          mp3: {
            summary: 'As MP3',
            value: { model: 'sim-speech', input: 'The sky is blue.', voice: 'alloy' },
          },
          events: {
            summary: 'As events',
            value: { model: 'sim-speech', input: 'The sky is blue.', voice: 'alloy', stream_format: 'sse' },
          },
        },
      },
    },
    answers: {
      200: {
        description: 'The audio.',
        headers: PAID_HEADERS,
        content: {
          ...binary('audio/mpeg'),
          ...binary('audio/wav'),
          ...binary('audio/*'),
          'text/event-stream': eventsOf(audioEvent),
        },
      },
    },
  },
]

const form = object(
  {
    file: { type: 'string', format: 'binary', description: 'The audio: one file of at most 25 MB.' },
    model: text('The name of a transcription model.'),
    language: text('The language of the audio, such as `en`.'),
    prompt: text('Words that it may have.'),
    response_format: words(
      'How the text is written.',
      'json',
      'text',
      'srt',
      'verbose_json',
      'vtt',
      'diarized_json',
    ),
    temperature: quantity('How much chance there is in the choice of words.'),
    stream: flag('Answer with events while it is heard.'),
    chunking_strategy: text('How the audio is cut, as the provider takes it.'),
    'include[]': list(text(''), 'What to answer besides, such as `logprobs`.'),
    'timestamp_granularities[]': list(words('', 'word', 'segment'), 'Which times to answer.'),
    'known_speaker_names[]': list(text(''), 'Names of speakers.'),
    'known_speaker_references[]': list(text(''), 'Their voices, as data URIs.'),
  },
  { required: ['file', 'model'] },
)

const heard = object(
  { text: text('What was said.'), usage: anyObject('What is charged, as the provider counted it.') },
  { required: ['text'] },
)
const heardEvent = object(
  {
    type: text('`transcript.text.delta`, then `transcript.text.done`.'),
    delta: text('What is added.'),
    text: text('All of it, at the end.'),
  },
  { required: ['type'] },
)

const transcribed: Answer = {
  description: 'The text.',
  headers: PAID_HEADERS,
  content: {
    'application/json': { schema: heard },
    'text/plain': { schema: text('The text alone, or with times (`srt`).') },
    'text/vtt': { schema: text('The text with times.') },
    'text/event-stream': eventsOf(heardEvent),
  },
}

export const transcriptions: readonly Written[] = [
  {
    ...audio,
    id: 'createTranscription',
    summary: 'Write down what is said',
    body: {
      'multipart/form-data': {
        schema: form,
        examples: {
          json: { summary: 'As JSON', value: { file: AUDIO_FILE, model: 'sim-whisper' } },
          subtitles: {
            summary: 'As subtitles',
            value: { file: AUDIO_FILE, model: 'sim-whisper', response_format: 'vtt' },
          },
          stream: {
            summary: 'A stream',
            value: { file: AUDIO_FILE, model: 'sim-transcribe', stream: 'true' },
          },
        },
      },
    },
    answers: { 200: transcribed },
  },
]

export const translations: readonly Written[] = [
  {
    ...audio,
    id: 'createTranslation',
    summary: 'Write down in English what is said',
    body: {
      'multipart/form-data': {
        schema: form,
        examples: { json: { summary: 'As JSON', value: { file: AUDIO_FILE, model: 'sim-whisper' } } },
      },
    },
    answers: { 200: transcribed },
  },
]
