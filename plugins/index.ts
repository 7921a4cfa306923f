// The surfaces of the gateway, in order, and the type of the application that they make.
import type { AppOf, Plugin } from '../src/surface/gateway.ts'
import { absent } from './absent/index.ts'
import { audio } from './audio/index.ts'
import { billing } from './billing/index.ts'
import { chat } from './chat/index.ts'
import { completions } from './completions/index.ts'
import { consolePages } from './console/index.ts'
import { docs } from './docs/index.ts'
import { embeddings } from './embeddings/index.ts'
import { health } from './health/index.ts'
import { images } from './images/index.ts'
import { library } from './library/index.ts'
import { messages } from './messages/index.ts'
import { metrics } from './metrics/index.ts'
import { models } from './models/index.ts'
import { moderations } from './moderations/index.ts'
import { native } from './native/index.ts'
import { rerank } from './rerank/index.ts'
import { responses } from './responses/index.ts'
import { storedResponses } from './responses/stored.ts'
import { upload } from './upload/index.ts'

export const plugins = [
  health,
  metrics,
  native,
  messages,
  chat,
  responses,
  completions,
  models,
  storedResponses,
  embeddings,
  audio,
  moderations,
  rerank,
  billing,
  upload,
  images,
  library,
  consolePages,
  docs,
  absent,
] as const satisfies readonly Plugin[]

/** All routes with their types: `treaty<App>(url)` of @elysiajs/eden is a typed client. */
export type App = AppOf<typeof plugins>
