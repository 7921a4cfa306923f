// Other gateways over the same database, where each alert is raised and sent once for all of them.
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { Operations } from '../../src/app/surface/gateway.ts'

export interface OtherGateways {
  /** The machine of this gateway: its name and the data folder, which one gateway at most serves. */
  machine: string
  /** Whether a machine has a gateway that is alive. */
  isAlive: (machine: string) => boolean
  /** Whether this gateway checks the conditions that are the same for all. */
  isEldest: () => boolean
}

/** @returns undefined where this gateway has the database alone */
export function otherGateways({
  gateways,
  data_folder,
}: Pick<Operations, 'gateways' | 'data_folder'>): OtherGateways | undefined {
  if (!gateways()) return undefined
  const alive = () => gateways()?.alive ?? []
  const own_machine = `${hostname()}:${resolve(data_folder)}`
  return {
    machine: own_machine,
    // The row of this gateway proves nothing of another folder on its machine, as after a move to a larger disk.
    isAlive: (machine) =>
      machine === own_machine ||
      alive().some(({ is_this, name }) => !is_this && machine.startsWith(`${name}:`)),
    isEldest: () => alive()[0]?.is_this ?? true,
  }
}
