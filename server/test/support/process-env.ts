const { PATH, NODE_COMPILE_CACHE } = process.env

/**
 * What a process of a test's own is given of the environment of the run: nothing that configures a Chancery. What one process has
 * compiled, the next need not: it is half of the work of a start.
 */
export const processEnv: Readonly<Record<string, string | undefined>> = {
  PATH,
  ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
}
