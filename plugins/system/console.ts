// The console route about the process and its data folder, for operators: version, health, load, sizes.
import { statfs } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import manifest from '../../package.json' with { type: 'json' }
import { FAILURES, operatorCalls } from '../../src/app/surface/console/calls.ts'
import type { Gateway, SharingGateway, SharingGateways } from '../../src/app/surface/gateway.ts'
import type { Identified } from '../../src/http/answers.ts'
import { Nullable } from '../../src/http/schema.ts'
import { NullableTimeFields, TimeFields, time } from '../../src/http/views.ts'
import { createFolderSizes } from './folders.ts'

const Bytes = Type.Integer({ description: 'bytes' })

const GatewayView = Type.Object({
  id: Type.Integer(),
  name: Type.String({ description: 'its machine' }),
  version: Type.String(),
  ...TimeFields('started'),
  ...TimeFields('seen'),
  is_this: Type.Boolean({ description: 'it answers this request' }),
})

const SystemView = Type.Object({
  version: Type.String(),
  runtime: Type.String({ description: 'what it runs on' }),
  platform: Type.String(),
  ...TimeFields('started'),
  uptime_ms: Type.Integer(),
  not_ready: Nullable(Type.String({ description: 'why no calls are taken; null while they are' })),
  calls_under_way: Type.Integer(),
  memory_bytes: Bytes,
  database: Type.Object({
    engine: Type.String({ description: '`SQLite`, or such as `PostgreSQL 18.4`' }),
    address: Type.String({ description: 'where it is, without a password' }),
    bytes: Bytes,
  }),
  files: Type.Object({
    bucket: Nullable(
      Type.String({ description: 'where images, uploads and kept content are; null: in the data folder' }),
    ),
    trouble: Nullable(Type.String({ description: 'why images and uploads are refused at the moment' })),
  }),
  /** The gateways that share the database; null if there can be only one. */
  gateways: Nullable(
    Type.Object({
      clock_ahead_ms: Type.Integer({
        description: "how far the database's clock is ahead of this machine's",
      }),
      alive: Type.Array(GatewayView, { description: 'in the order of their starts' }),
    }),
  ),
  data: Type.Object({
    folder: Type.String(),
    disk_bytes: Bytes,
    free_bytes: Bytes,
    parts: Type.Array(Type.Object({ name: Type.String(), bytes: Bytes, files: Type.Integer() })),
    ...NullableTimeFields('measured'),
  }),
})

const gatewayView = ({ started_at_ms, seen_at_ms, ...gateway }: SharingGateway) => ({
  ...gateway,
  ...time('started', started_at_ms),
  ...time('seen', seen_at_ms),
})

const gatewaysView = ({ clock_ahead_ms, alive }: SharingGateways) => ({
  clock_ahead_ms,
  alive: alive.map(gatewayView),
})

/** `GET /console/api/system`, for operators only. */
export function systemRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'people' | 'operations'>) {
  const { now, log, running } = gateway.calls
  const { data_folder, database, files_bucket, filesTrouble, gateways, notReady } = gateway.operations
  const folder = resolve(data_folder)
  const sizes = createFolderSizes(folder, now)

  async function data({ request_id }: Identified) {
    const { bsize, blocks, bavail } = await statfs(folder)
    const measured = await sizes.look((cause) =>
      log.warn({ request_id, cause, folder }, 'the data folder could not be measured'),
    )
    return {
      folder,
      disk_bytes: blocks * bsize,
      free_bytes: bavail * bsize,
      parts: measured ? [...measured.parts] : [],
      ...time('measured', measured?.measured_at_ms ?? null),
    }
  }

  return new Elysia({ name: 'console-system' }).use(operatorCalls(gateway)).get(
    '/console/api/system',
    async ({ origin }) => {
      const uptime_ms = Math.round(performance.now())
      const sharing = gateways()
      return {
        version: manifest.version,
        runtime: `Bun ${Bun.version}`,
        platform: `${process.platform} ${process.arch}`,
        ...time('started', now() - uptime_ms),
        uptime_ms,
        not_ready: notReady() ?? null,
        calls_under_way: running.size,
        memory_bytes: process.memoryUsage.rss(),
        database: await database(),
        files: { bucket: files_bucket ?? null, trouble: filesTrouble() ?? null },
        gateways: sharing ? gatewaysView(sharing) : null,
        data: await data(origin),
      }
    },
    { response: { 200: SystemView, ...FAILURES } },
  )
}
