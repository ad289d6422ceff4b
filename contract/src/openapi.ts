export const openApiFor = () => ({})
