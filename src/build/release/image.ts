// The container image of a release: one OCI archive for all its platforms, built from data/Dockerfile by Buildah or Docker.
import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { atEnd } from '../../utilities/at-end.ts'
import { type Form, type Release, ROOT } from './files.ts'
import { writeTar } from './tar.ts'

interface Job {
  /** For example `linux/amd64`. */
  readonly platforms: readonly string[]
  /** The image's name after loading. */
  readonly name: string
  /** The values for the Dockerfile's ARGs. */
  readonly build_arguments: Readonly<Record<string, string>>
  /** The folder that the Dockerfile copies from. */
  readonly context: string
  /** The output folder of the image: https://github.com/opencontainers/image-spec/blob/v1.1.0/image-layout.md */
  readonly layout: string
  /** An empty folder for the builder's own files. */
  readonly work: string
  readonly time_s: number
}

interface Builder {
  readonly name: string
  isReady(): boolean
  /** Returns the commands that write the image, in order. */
  commands(job: Job): readonly (readonly string[])[]
}

const DOCKERFILE = join(ROOT, 'data/Dockerfile')

const succeeds = (...command: string[]): boolean =>
  Bun.which(command[0] ?? '') !== null && Bun.spawnSync(command).success

const argumentsOf = ({ build_arguments }: Job): string[] =>
  Object.entries(build_arguments).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`])

/** https://github.com/containers/buildah/blob/main/docs/buildah-build.1.md. Keeps its images only in `work`, with the most portable driver. */
const BUILDAH: Builder = {
  name: 'Buildah',
  isReady: () => succeeds('buildah', '--version'),
  commands(job) {
    const { platforms, name, context, layout, work, time_s } = job
    const folders = ['--root', join(work, 'images'), '--runroot', join(work, 'run')]
    const buildah = ['buildah', '--storage-driver', 'vfs', ...folders]
    const made = ['--timestamp', String(time_s), '--format', 'oci', '--layers=false']
    const how = ['--platform', platforms.join(','), '--file', DOCKERFILE, ...made, ...argumentsOf(job)]
    return [
      [...buildah, 'build', '--quiet', ...how, '--manifest', name, context],
      [...buildah, 'manifest', 'push', '--quiet', '--all', name, `oci:${layout}`],
    ]
  },
}

/** https://docs.docker.com/build/exporters/oci-docker/ */
const DOCKER: Builder = {
  name: 'Docker',
  isReady: () => succeeds('docker', 'buildx', 'inspect'),
  commands(job) {
    const { platforms, context, layout, time_s } = job
    const output = `type=oci,dest=${layout},tar=false,rewrite-timestamp=true`
    const time = ['--build-arg', `SOURCE_DATE_EPOCH=${time_s}`, '--provenance=false']
    const how = ['--platform', platforms.join(','), '--file', DOCKERFILE, ...time, ...argumentsOf(job)]
    return [['docker', 'buildx', 'build', '--quiet', ...how, '--output', output, context]]
  },
}

/** Runs commands until one fails. @returns its error text; undefined if all succeeded */
function failureOf(commands: readonly (readonly string[])[]): string | undefined {
  for (const command of commands) {
    const { success, stderr } = Bun.spawnSync([...command])
    if (!success) return stderr.toString().trim()
  }
  return undefined
}

export interface ImageOptions {
  /** The base image, instead of the Dockerfile's. */
  readonly base?: string
  /** The candidates, of which the first one that is ready builds. */
  readonly builders?: readonly Builder[]
  /** Receives the reason if the release has no image. */
  readonly remark?: (text: string) => void
}

/** Writes the image. If no builder is ready or the base cannot be fetched, the release continues without one. */
export const writeImage: Form = (release) => writeImageOver(release, {})

export async function writeImageOver(release: Release, options: ImageOptions): Promise<readonly string[]> {
  const { builders = [BUILDAH, DOCKER], remark = (text) => process.stderr.write(`${text}\n`) } = options
  const platforms = release.platforms.filter(({ oci }) => oci !== undefined)
  if (platforms.length === 0) return []
  const builder = builders.find((each) => each.isReady())
  if (!builder) {
    remark('No image: install Buildah or start Docker, then run this again.')
    return []
  }
  const work = mkdtempSync(join(release.folder, 'image-'))
  using _removing = atEnd(() => rmSync(work, { recursive: true, force: true }))
  const job = jobIn(work, release, options.base)
  const failure = failureOf(builder.commands(job))
  if (failure !== undefined) {
    remark(`No image: ${builder.name} failed.\n${failure}`)
    return []
  }
  const path = join(release.folder, `tollgate-${release.version}-image.tar`)
  await writeArchive(path, job, release.source_date)
  return [path]
}

/** Creates the folder that the Dockerfile copies from, with hard links to the release's executables. */
function jobIn(work: string, { platforms, version, executable, source_date }: Release, base?: string): Job {
  const context = join(work, 'context')
  mkdirSync(join(context, 'data'), { recursive: true })
  mkdirSync(join(work, 'builder'))
  for (const platform of platforms) {
    if (!platform.oci) continue
    const path = join(context, platform.oci.architecture, 'tollgate')
    mkdirSync(dirname(path))
    linkSync(executable(platform), path)
  }
  return {
    platforms: platforms.flatMap(({ oci }) => (oci ? [`${oci.os}/${oci.architecture}`] : [])),
    // The `localhost` prefix avoids confusion with a published image: it is never fetched.
    name: `localhost/tollgate:${version}`,
    build_arguments: { VERSION: version, ...(base === undefined ? {} : { BASE: base }) },
    context,
    layout: join(work, 'layout'),
    work: join(work, 'builder'),
    time_s: Math.floor(source_date.getTime() / 1000),
  }
}

/** Writes a tar of the layout, and names the image in the annotations of both Podman and Docker. */
async function writeArchive(archive: string, { layout, name }: Job, time: Date): Promise<void> {
  const index = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')) as {
    manifests: { annotations?: Record<string, string> }[]
  }
  const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name }
  const named = { ...index, manifests: index.manifests.map((each) => ({ ...each, annotations })) }
  const blobs = readdirSync(join(layout, 'blobs/sha256')).map((hash) => `blobs/sha256/${hash}`)
  const copied = [...blobs, 'oci-layout'].map((path) => ({ path, source: join(layout, path) }))
  await writeTar(archive, [...copied, { path: 'index.json', content: JSON.stringify(named) }], time)
}
