// Audio in the API reference: speech, transcriptions and translations.
import { events, form, json, PAID_HEADERS, type Reference } from '../../src/app/reference/operation.ts'
import { AUDIO_FILE } from '../../src/app/reference/samples.ts'
import {
  anyObject,
  asIn,
  flag,
  OPENAI,
  quantity,
  text,
  USAGE,
  words,
} from '../../src/app/reference/schema.ts'

const SPEECH = `${OPENAI}/audio/createSpeech`
const TRANSCRIPTION = `${OPENAI}/audio/createTranscription`

const bytes = { schema: { type: 'string', format: 'binary', description: 'The audio.' } }

const recording = {
  file: { type: 'string', format: 'binary', description: 'The audio: one file of at most 25 MB.' },
  model: text('The name of a transcription model.'),
  'response_format?': text('`json`, `text`, `srt`, `verbose_json`, `vtt` or `diarized_json`.'),
  'stream?': flag('Stream the text as events.'),
}

const transcribed = {
  answer: 'The text.',
  headers: PAID_HEADERS,
  content: {
    ...json(asIn(TRANSCRIPTION, { text: text('The spoken text.'), 'usage?': anyObject(USAGE) })),
    'text/plain': { schema: text('The text alone, or with times (`srt`).') },
    'text/vtt': { schema: text('The text with times.') },
    ...events(
      asIn(TRANSCRIPTION, {
        type: text('`transcript.text.delta`, then `transcript.text.done`.'),
        'delta?': text('The added text.'),
        'text?': text('All of it, at the end.'),
      }),
    ),
  },
}

export const reference: Reference = {
  tag: 'Audio',
  operations: [
    {
      route: 'POST /v1/audio/speech',
      id: 'createSpeech',
      summary: 'Create speech',
      description:
        'The audio leaves as it comes from the provider. Audio that breaks off ends with a broken connection, since nothing can be appended to it.',
      body: json(
        asIn(SPEECH, {
          model: text('The name of a speech model.'),
          input: text('The text.'),
          voice: text("The name of a voice of the provider's."),
          'speed?': quantity('How fast.', { minimum: 0.25, maximum: 4 }),
          'stream_format?': words('Plain audio, or events with pieces of it.', 'audio', 'sse'),
        }),
        {
          'As MP3': { model: 'sim-speech', input: 'The sky is blue.', voice: 'alloy' },
          'As events': {
            model: 'sim-speech',
            input: 'The sky is blue.',
            voice: 'alloy',
            stream_format: 'sse',
          },
        },
      ),
      answer: 'The audio.',
      headers: PAID_HEADERS,
      content: {
        'audio/mpeg': bytes,
        'audio/wav': bytes,
        'audio/*': bytes,
        ...events(
          asIn(SPEECH, {
            type: text('`speech.audio.delta`, then `speech.audio.done`.'),
            'audio?': text('A piece of the audio in base64.'),
            'usage?': anyObject('The tokens, at the end.'),
          }),
        ),
      },
    },
    {
      ...transcribed,
      route: 'POST /v1/audio/transcriptions',
      id: 'createTranscription',
      summary: 'Create a transcription',
      body: form(asIn(TRANSCRIPTION, recording), {
        'As JSON': { file: AUDIO_FILE, model: 'sim-whisper' },
        'As subtitles': { file: AUDIO_FILE, model: 'sim-whisper', response_format: 'vtt' },
        'A stream': { file: AUDIO_FILE, model: 'sim-transcribe', stream: 'true' },
      }),
    },
    {
      ...transcribed,
      route: 'POST /v1/audio/translations',
      id: 'createTranslation',
      summary: 'Create a translation into English',
      body: form(asIn(`${OPENAI}/audio/createTranslation`, recording), {
        'As JSON': { file: AUDIO_FILE, model: 'sim-whisper' },
      }),
    },
  ],
}
