// The most memory that a process has ever had, as the kernel counts it for the process itself.

/** @returns megabytes; proc_pid_status(5), VmHWM: unlike a child's resource usage it does not begin with the parent's peak */
export async function peakMemory(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text()
  const peak_kb = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1])
  return Math.round(peak_kb / 1024)
}
