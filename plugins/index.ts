// Owns which surfaces the gateway has, and their order.
import type { Plugin } from '../src/surface/gateway.ts'
import { account } from './billing/index.ts'
import { chat } from './chat/index.ts'
import { embeddings } from './embeddings/index.ts'
import { health } from './health/index.ts'
import { images } from './images/index.ts'
import { library } from './library/index.ts'
import { messages } from './messages/index.ts'
import { models } from './models/index.ts'
import { native } from './native/index.ts'
import { upload } from './upload/index.ts'

export const plugins: readonly Plugin[] = [
  health,
  native,
  messages,
  chat,
  models,
  embeddings,
  account,
  upload,
  images,
  library,
]
