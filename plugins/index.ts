// The surfaces of the gateway, in order, and the type of the application that they make.
import type { AppOf, Plugin } from '../src/surface/gateway.ts'
import { billing } from './billing/index.ts'
import { chat } from './chat/index.ts'
import { embeddings } from './embeddings/index.ts'
import { health } from './health/index.ts'
import { images } from './images/index.ts'
import { library } from './library/index.ts'
import { messages } from './messages/index.ts'
import { models } from './models/index.ts'
import { native } from './native/index.ts'
import { storedResponses } from './responses/stored.ts'
import { upload } from './upload/index.ts'

export const plugins = [
  health,
  native,
  messages,
  chat,
  models,
  storedResponses,
  embeddings,
  billing,
  upload,
  images,
  library,
] as const satisfies readonly Plugin[]

/** All routes with their types: `treaty<App>(url)` of @elysiajs/eden is a typed client. */
export type App = AppOf<typeof plugins>
