// A program with parts that are hard to embed in an executable: a worker, a text file, and sharp.
import migration from '../../../src/store/engines/sqlite/migrations/0001_ledger.sql' with { type: 'text' }

const worker = new Worker(new URL('./worker.ts', import.meta.url))
const answer = new Promise((resolve) => {
  worker.onmessage = ({ data }) => resolve(data)
})
worker.postMessage('ping')

const { default: sharp } = await import('sharp')
const png = await sharp({ create: { width: 3, height: 2, channels: 3, background: 'red' } })
  .png()
  .toBuffer()
const { format, width, height } = await sharp(png).metadata()

const seen = { worker: await answer, migration_starts: migration.slice(0, 2), format, width, height }
process.stdout.write(JSON.stringify(seen))
process.exit(0)
