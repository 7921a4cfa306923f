// The audio surface: POST /v1/audio/speech, /v1/audio/transcriptions and /v1/audio/translations, in OpenAI's shape.
import { Elysia } from 'elysia'
import { COMMON_FORMS } from '../../src/access/gate.ts'
import { calls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { speechCalls } from '../../src/calls/kinds/units/speech.ts'
import { transcriptionCalls } from '../../src/calls/kinds/units/transcription.ts'
import { servePaid } from '../../src/calls/life/paid-call.ts'
import { renderError } from '../../src/protocols/openai/errors.ts'

const TRANSCRIPTIONS = transcriptionCalls('transcriptions')
const TRANSLATIONS = transcriptionCalls('translations')
const UNPARSED = { parse: 'none' } as const

const surfaceOf = (surface: string) => ({ surface, forms: COMMON_FORMS, render: renderError })

/** The routes. Each is recorded as a separate surface. */
export const audio = (gateway: Pick<Gateway, 'calls' | 'requests'>) => {
  const speech = new Elysia({ name: 'audio: speech' })
    .use(calls(gateway, surfaceOf('speech')))
    .post('/v1/audio/speech', ({ origin }) => servePaid(gateway.calls, speechCalls, { origin }), UNPARSED)
  const transcriptions = new Elysia({ name: 'audio: transcriptions' })
    .use(calls(gateway, surfaceOf('transcriptions')))
    .post(
      '/v1/audio/transcriptions',
      ({ origin }) => servePaid(gateway.calls, TRANSCRIPTIONS, { origin }),
      UNPARSED,
    )
  const translations = new Elysia({ name: 'audio: translations' })
    .use(calls(gateway, surfaceOf('translations')))
    .post(
      '/v1/audio/translations',
      ({ origin }) => servePaid(gateway.calls, TRANSLATIONS, { origin }),
      UNPARSED,
    )
  return new Elysia({ name: 'audio' }).use(speech).use(transcriptions).use(translations)
}
