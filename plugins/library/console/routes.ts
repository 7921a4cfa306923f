// Console routes of the page Library.
import { Elysia } from 'elysia'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { files } from './files.ts'
import { images } from './images.ts'

export const consoleRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-library-all' }).use(images(gateway)).use(files(gateway))
